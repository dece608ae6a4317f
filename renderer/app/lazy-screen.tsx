// A screen that is loaded when it is first gone to, or beforehand. One that cannot be loaded is an error that says so. The
// router's own way would load the whole page anew, which ends on the browser's error page while the gateway cannot be reached.

import { type ComponentType, use } from 'react';

/** A browser does not try a second time: it takes the whole page to be loaded anew. */
export class ScreenNotLoaded extends Error {}

export function lazyScreen<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined;
  let failure: ScreenNotLoaded | undefined;
  let loading: Promise<void> | undefined;

  async function loadOnce(): Promise<void> {
    failure = undefined;
    try {
      Loaded = await load();
    } catch (error) {
      failure = new ScreenNotLoaded(String(error), { cause: error });
    }
    loading = undefined;
  }
  const preload = (): Promise<void> => (Loaded === undefined ? (loading ??= loadOnce()) : Promise.resolve());

  function Screen(props: Props) {
    if (Loaded !== undefined) return <Loaded {...props} />;
    if (failure !== undefined) throw failure;
    use(preload());
    return null;
  }
  return Object.assign(Screen, { preload });
}
