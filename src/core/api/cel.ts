/** An expression of the Common Expression Language, as the API server evaluates it. */
export type Cel = string

/** Literal of a text: `'it\'s'`. */
export function celText(text: string): Cel {
  return `'${text.replace(/[\\']/g, (character) => `\\${character}`)}'`
}

/** Literal of a list of texts. */
export function celList(texts: Iterable<string>): Cel {
  return `[${[...texts].map(celText).join(', ')}]`
}

/** Literal of a regular expression that RE2 and JavaScript read alike; it holds no quote. */
export function celPattern(pattern: string): Cel {
  return `r'${pattern}'`
}

/** What `path` led to before the request, as an optional; nothing when the object is new. */
export function celBefore(path: Cel): Cel {
  return `(request.operation == 'CREATE' ? optional.none() : oldObject.${path})`
}
