// Query strings read strictly: what is not properly encoded is found, never guessed.

/** A parameter as it was sent, decoded; `value` is undefined when its encoding is not proper UTF-8 in percent signs. */
export interface QueryParameter {
  /** Undefined when the name's own encoding is not proper. */
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** What follows the first question mark of a URL. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** The parameters of a query string (what follows the question mark), in order; `+` is a space. */
export function readQuery(query: string): QueryParameter[] {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const end = part.indexOf('=');
      return end === -1
        ? { name: decode(part), value: '' }
        : { name: decode(part.slice(0, end)), value: decode(part.slice(end + 1)) };
    });
}

function decode(text: string): string | undefined {
  if (/[^\x21-\x7e]/.test(text)) return undefined;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
