// A part of the console, such as a screen, that is loaded when it is first shown, or beforehand. One that cannot be loaded
// is an error that says so. The router's own way would load the whole page anew, which ends on the browser's error page
// while the gateway cannot be reached; React's would never try again.

import { type ComponentType, use } from 'react';

/** A browser does not try a second time: it takes the whole page to be loaded anew. */
export class LazyPartError extends Error {}

const preloads = new Set<() => Promise<void>>();

/** Loads all parts, one after the other, those that come with another one too. Never rejects: what could not be loaded says so when it is shown. */
export async function preloadParts(): Promise<void> {
  for (const preload of preloads) await preload(); // a set goes on to what is added meanwhile
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
