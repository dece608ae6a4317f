// The place of an upstream: where the paths of its interface begin.

export interface Place {
  readonly origin: string;
  /** The path that all paths begin with, without a slash at its end. */
  readonly base: string;
}

export function placeOf(url: string): Place {
  const { origin, pathname } = new URL(url);
  return { origin, base: pathname.replace(/\/$/, '') };
}
