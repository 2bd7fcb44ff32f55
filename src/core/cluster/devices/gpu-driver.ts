/** Driver whose devices are understood. @source kubernetes-sigs/dra-driver-nvidia-gpu, attributes of ResourceSlices */
export const GPU_DRIVER = 'gpu.nvidia.com'
