/** Ways to share a GPU that a policy may name, in the order in which we list them. */
export const methodNames = ['mig-mixed', 'mig-single', 'time-slicing', 'mps', 'gke', 'dra', 'hami'] as const

/** One of the seven ways to share a GPU. */
export type MethodName = (typeof methodNames)[number]
