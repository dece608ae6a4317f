// A component whose chunk loads at first use, or beforehand. After a failed load the user can try again. The router's lazy
// loading would reload the page, but a reload fails while the gateway cannot be reached. React's lazy loading never retries.

import { type ComponentType, use } from 'react';

/** The error that a chunk failed to load. A browser retries a failed import only after a page reload. */
export class LazyPartError extends Error {}

const preloads = new Set<() => Promise<void>>();

/**
 * Loads all parts, one after the other, including parts that are registered while it runs. Never rejects: a failed part shows
 * its error when it is used.
 */
export async function preloadParts(): Promise<void> {
  for (const preload of preloads) await preload(); // the loop also reaches parts that are added to the set while it runs
}

export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined;
  let failure: LazyPartError | undefined;
  let loading: Promise<void> | undefined;

  async function loadOnce(): Promise<void> {
    failure = undefined;
    try {
      Loaded = await load();
    } catch (error) {
      failure = new LazyPartError(String(error), { cause: error });
    }
    loading = undefined;
  }
  const preload = (): Promise<void> => (Loaded === undefined ? (loading ??= loadOnce()) : Promise.resolve());
  preloads.add(preload);

  function Part(props: Props) {
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failure !== undefined) throw failure;
    use(preload());
    return null;
  }
  return Object.assign(Part, { preload });
}
