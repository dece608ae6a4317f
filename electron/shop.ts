// The shop's state as one sentence for the tray. The app reads the state from the console's API.

import type { DaysView, DaySummary } from '../server/contract/days.ts';
import type { QuietView } from '../server/contract/desktop.ts';
import type { LaneView } from '../server/contract/lanes.ts';
import type { OverviewView } from '../server/contract/overview.ts';
import type { JournalView } from '../server/contract/setup.ts';
import type { GatewayState } from './gateway-process.ts';
import { sayCount, type Words } from './words.ts';

/** Each journal with its overview and its store days of the last week. */
export type Shop = readonly {
  readonly journal: JournalView;
  readonly overview: OverviewView;
  readonly days: readonly DaySummary[];
}[];

/** The state of the tray icon. */
export const TRAY_STATES = ['safe', 'line-down', 'attention', 'stopped'] as const;
export type TrayState = (typeof TRAY_STATES)[number];

export interface ShopStatus {
  readonly state: TrayState;
  /** The state as one sentence. */
  readonly sentence: string;
  /** The number of unsent NEW records. */
  readonly onlyHere: number;
}

/** Makes the state that the tray shows. `shop` is undefined before the first poll. */
export function shopStatus(gateway: GatewayState, shop: Shop | 'no answer' | undefined, words: Words): ShopStatus {
  if (gateway.kind !== 'running') return { state: 'stopped', sentence: words[gateway.kind], onlyHere: 0 };
  if (shop === undefined) return { state: 'safe', sentence: words.running, onlyHere: 0 };
  if (shop === 'no answer') return { state: 'stopped', sentence: words.noAnswer, onlyHere: 0 };
  const waiting = shop.reduce((sum, { overview }) => sum + overview.total.waiting, 0);
  const held = shop.reduce((sum, { overview }) => sum + overview.total.held, 0);
  const onlyHere = waiting + held;
  const lanes = shop.flatMap(({ overview }) => overview.lanes);
  const isAny = (state: LaneView['state']): boolean => lanes.some((lane) => lane.url !== null && lane.state === state);
  const statusOf = (state: TrayState, sentence: string): ShopStatus => ({ state, sentence, onlyHere });

  if (shop.some(({ overview }) => overview.trouble !== null)) return statusOf('stopped', words.trouble);
  if (shop.some(({ overview }) => overview.machine.clock !== null)) return statusOf('attention', words.clockWrong);
  if (shop.some(({ overview }) => overview.machine.damaged !== null)) return statusOf('attention', words.damaged);
  if (isAny('refused')) return statusOf('attention', sayCount(words.refused, onlyHere));
  if (isAny('line down')) return statusOf('line-down', sayCount(words.lineDown, onlyHere));
  if (held > 0) return statusOf('attention', sayCount(words.held, held));
  if (onlyHere > 0 && isAny('paused')) return statusOf('attention', sayCount(words.paused, onlyHere));
  if (onlyHere > 0 && lanes.every(({ url }) => url === null))
    return statusOf('attention', sayCount(words.noUpstream, onlyHere));
  if (shop.some(({ days }) => days.some(needsSomebody))) return statusOf('attention', words.dayDiffers);
  return statusOf('safe', onlyHere === 0 ? words.safeNow : sayCount(words.waiting, onlyHere));
}

/** Whether a person must look at a day: its difference is final, and nobody has signed it off. */
export function needsSomebody({ verdict, isProvisional, signOff }: DaySummary): boolean {
  return verdict === 'differs' && !isProvisional && (signOff === null || signOff.isReopened);
}

const WEEK_MS = 7 * 24 * 60 * 60_000;
/** A gateway that does not answer must not block the app's exit. */
const ANSWER_TIMEOUT_MS = 5000;

export interface ShopReader {
  /** Reads the shop's state. Rejects if no gateway runs. */
  read(): Promise<Shop>;
  /** Whether no till is sending now, and tills usually stay quiet for a while at this time. */
  isQuiet(): Promise<boolean>;
}

/** The app's session at the console: its cookie, and the path of its calls. The path contains the session's key. */
interface Entered {
  readonly base: string;
  readonly cookie: string;
}

/**
 * Matches the session cookie that the console sets. Group 2 is the cookie's path, which is also the path of the session's
 * calls.
 */
const SESSION_COOKIE = /^(counterfoil_session_\d+=[^;]+); Path=(\/s\/[^;]+)/;

/** Makes a reader of the shop's state. It signs in with a one-time link, and again when its session has ended. */
export function openShopReader(createLink: () => Promise<string>, call: typeof fetch): ShopReader {
  let entering: Promise<Entered> | undefined;

  async function enter(): Promise<Entered> {
    const link = await createLink();
    const response = await call(link, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const cookies = response.headers.getSetCookie().map((each) => SESSION_COOKIE.exec(each));
    await response.body?.cancel();
    const [, cookie, path] = cookies.find((each) => each !== null) ?? [];
    if (cookie === undefined || path === undefined) throw new Error(`The console let nobody in (${response.status}).`);
    return { base: new URL(link).origin + path, cookie };
  }

  async function get<T>(path: string, isAgain = false): Promise<T> {
    const mine = (entering ??= enter());
    const { base, cookie } = await mine;
    const response = await call(base + path, {
      headers: { cookie },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    // not validated, because our own gateway sends what this contract defines
    if (response.ok) return (await response.json()) as T;
    await response.body?.cancel();
    if (response.status !== 401 || isAgain) throw new Error(`${path} was answered with ${response.status}.`);
    // the gateway has restarted, or the session has ended, so this call signs in again
    if (entering === mine) entering = undefined;
    return get(path, true);
  }

  async function readOne(journal: JournalView): Promise<Shop[number]> {
    const overview = await get<OverviewView>(`/api/overview?journal=${journal.id}`);
    const to = overview.day.date;
    const from = new Date(Date.parse(to) - WEEK_MS).toISOString().slice(0, 10);
    const { days } = await get<DaysView>(`/api/days?journal=${journal.id}&from=${from}&to=${to}`);
    return { journal, overview, days };
  }

  /**
   * Forgets the session after a failed read, so that the next read signs in again. The gateway may have restarted, or the
   * session may have ended.
   */
  const forgetting = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      entering = undefined;
      throw error;
    });

  return {
    read: () =>
      forgetting(get<readonly JournalView[]>('/api/journals').then((journals) => Promise.all(journals.map(readOne)))),
    isQuiet: () => forgetting(get<QuietView>('/api/quiet').then(({ isQuiet }) => isQuiet)),
  };
}
