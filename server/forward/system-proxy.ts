// Sends calls through the operating system's proxy. The proxy is looked up repeatedly, because it changes when a laptop changes
// networks.

import { Dispatcher } from 'undici';

/** Finds the system's proxy for an address, as a URL; undefined for none. */
export type FindProxy = (url: string) => Promise<string | undefined>;

const PROXY_KNOWN_FOR_MS = 10_000;

/** Sends each call through the system's proxy for its address. Without a proxy, sends it directly. */
export class SystemProxyDispatcher extends Dispatcher {
  readonly #findProxy: FindProxy;
  readonly #openThrough: (proxy: string | undefined) => Dispatcher;
  readonly #ways = new Map<string | undefined, Dispatcher>();
  #isDestroyed = false;
  readonly #found = new Map<string, { readonly proxy: string | undefined; readonly at: number }>();

  constructor(findProxy: FindProxy, openThrough: (proxy: string | undefined) => Dispatcher) {
    super();
    this.#findProxy = findProxy;
    this.#openThrough = openThrough;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const origin = String(options.origin);
    const found = this.#found.get(origin);
    if (found !== undefined && performance.now() - found.at < PROXY_KNOWN_FOR_MS)
      return this.#wayThrough(found.proxy).dispatch(options, handler);
    void this.#findProxy(origin)
      .catch(() => undefined) // if the system gives no answer, records are sent without a proxy
      .then((proxy) => {
        this.#found.set(origin, { proxy, at: performance.now() });
        this.#wayThrough(proxy).dispatch(options, handler);
      });
    return true;
  }

  #wayThrough(proxy: string | undefined): Dispatcher {
    const way = this.#ways.get(proxy) ?? this.#open(proxy);
    this.#ways.set(proxy, way);
    if (this.#isDestroyed) void way.destroy(); // a destroyed dispatcher rejects new calls
    return way;
  }

  /** Opens a dispatcher for a proxy. Connects directly if the address of the proxy is invalid. */
  #open(proxy: string | undefined): Dispatcher {
    try {
      return this.#openThrough(proxy);
    } catch {
      return this.#openThrough(undefined);
    }
  }

  override async close(): Promise<void> {
    await Promise.all([...this.#ways.values()].map((way) => way.close()));
  }

  override async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#ways.values()].map((way) => way.destroy()));
  }
}
