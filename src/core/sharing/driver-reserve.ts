/**
 * Memory of a whole GPU that the driver keeps for itself and that no program is given, MiB, although the node's memory label counts
 * it: 0.3 to 1.3 GiB by model and driver, of which the most is taken. Of 23,034 MiB it leaves 21,703.
 * @source NVIDIA NVML, memory info version 2: reserved is not part of what is used or free
 */
export const DRIVER_RESERVE_MIB = 1331
