// JSON pointers (RFC 6901) of limited length, so that an answer never echoes a very long name.

/** Maximum length of a pointer, in characters. */
const MAX_LENGTH = 500;

/** The pointer of a member or item below `pointer`, or undefined when it would be too long. */
export function extendPointer(pointer: string, step: string | number): string | undefined {
  const name = String(step);
  if (pointer.length + name.length > MAX_LENGTH) return undefined;
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
