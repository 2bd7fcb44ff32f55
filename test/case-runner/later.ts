/** Kinds of cases that later work makes right; a case of such a kind is listed by name and not judged. */
export const laterKinds: Readonly<Record<string, string>> = {
  g: 'repartition plans'
}

/** Fields of a check that later work makes right. */
export const laterFields: Readonly<Record<string, string>> = {
  reported: 'node conditions that the controller reports',
  holds: 'repartition plans'
}
