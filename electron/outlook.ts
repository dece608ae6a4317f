// How the shop stands, for whoever looks at the tray: read from the console's API as any window reads it, and put into one
// sentence. Pure but for the reading.

import type { JournalView, LaneView, OverviewView } from '../server/contract.ts';
import type { GatewayState } from './gateway-process.ts';
import { say, type Words } from './words.ts';

/** The journals with an overview of each. */
export type Shop = readonly { readonly journal: JournalView; readonly overview: OverviewView }[];

export interface Outlook {
  readonly tone: 'fine' | 'waiting' | 'bad';
  /** One sentence. */
  readonly sentence: string;
  /** NEW records that are only on this disk. */
  readonly onlyHere: number;
}

/** `shop` is undefined while it is not known. */
export function outlookOf(gateway: GatewayState, shop: Shop | undefined, words: Words): Outlook {
  if (gateway.kind === 'starting') return { tone: 'waiting', sentence: words.starting, onlyHere: 0 };
  if (gateway.kind !== 'running') return { tone: 'bad', sentence: words.ended, onlyHere: 0 };
  if (shop === undefined) return { tone: 'waiting', sentence: words.unknown, onlyHere: 0 };
  const onlyHere = shop.reduce((sum, { overview }) => sum + overview.total.waiting + overview.total.held, 0);
  const n = { n: onlyHere };
  if (shop.some(({ overview }) => overview.trouble !== null)) return { tone: 'bad', sentence: words.trouble, onlyHere };
  const lanes = shop.flatMap(({ overview }) => overview.lanes);
  const isAny = (state: LaneView['state']): boolean => lanes.some((lane) => lane.url !== null && lane.state === state);
  if (isAny('refused')) return { tone: 'bad', sentence: say(words.refused, n), onlyHere };
  if (isAny('line down')) return { tone: 'waiting', sentence: say(words.lineDown, n), onlyHere };
  if (onlyHere === 0) return { tone: 'fine', sentence: words.safeNow, onlyHere };
  if (isAny('paused')) return { tone: 'waiting', sentence: say(words.paused, n), onlyHere };
  if (lanes.every(({ url }) => url === null)) return { tone: 'waiting', sentence: say(words.noUpstream, n), onlyHere };
  return { tone: 'waiting', sentence: say(words.waiting, n), onlyHere };
}

export interface ShopReader {
  /** Rejects while there is no gateway to ask. */
  read(): Promise<Shop>;
}

/** Reads with a session of its own, which it gets by a link and again when it has ended. */
export function openShopReader(createLink: () => Promise<string>, call: typeof fetch): ShopReader {
  let entered: { readonly origin: string; readonly cookie: string } | undefined;

  async function enter(): Promise<{ origin: string; cookie: string }> {
    const link = await createLink();
    const response = await call(link, { redirect: 'manual' });
    const [cookie] = response.headers.getSetCookie();
    await response.body?.cancel();
    if (cookie === undefined) throw new Error(`The console let nobody in (${response.status}).`);
    return { origin: new URL(link).origin, cookie: cookie.split(';', 1)[0] ?? '' };
  }

  async function get<T>(path: string): Promise<T> {
    entered ??= await enter();
    const response = await call(entered.origin + path, { headers: { cookie: entered.cookie } });
    if (response.ok) return (await response.json()) as T; // of our own gateway, whose contract it is
    entered = undefined;
    await response.body?.cancel();
    throw new Error(`${path} was answered with ${response.status}.`);
  }

  return {
    async read() {
      try {
        const journals = await get<readonly JournalView[]>('/api/journals');
        const overviews = journals.map((journal) => get<OverviewView>(`/api/overview?journal=${journal.id}`));
        return (await Promise.all(overviews)).map((overview, i) => ({ journal: journals[i] as JournalView, overview }));
      } catch (error) {
        entered = undefined; // another gateway, or a session that has ended
        throw error;
      }
    },
  };
}
