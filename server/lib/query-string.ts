// Parses query strings strictly: it reports bad encoding, and never guesses what the sender meant.

/** A decoded parameter. `value` is undefined if it is not percent-encoded UTF-8. */
export interface QueryParameter {
  /** The decoded name; undefined if it is not percent-encoded UTF-8. */
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** The query of a URL: everything after the first question mark. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** The path of a URL: everything before the first question mark. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** Reads the parameters of a query string, in order. The string begins after the question mark. A `+` means a space. */
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
