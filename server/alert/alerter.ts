// Sends alerts about tasks. `plan.ts` decides what each receiver gets now. Each receiver gets one message at a time, and
// sending never delays the tills. The gateway stores that a message was sent only after the other side has accepted it. If the
// gateway crashes between these two steps, it sends the same message again after the restart, with the same id.

import type { AlertFault, ReceiverView } from '../contract/alerts.ts';
import type { Clock } from '../lib/clock.ts';
import type { AlertReport, StoredAlert, StoredMail, StoredReceiver } from '../store/alerts/ledger.ts';
import type { Store } from '../store/store.ts';
import type { StoredTask } from '../store/tasks/ledger.ts';
import { type AlertTask, type Message, writeMessage } from './message.ts';
import { conditionAfter, listStored, planAlerts } from './plan.ts';
import type { MailServer, Send, Sent } from './send.ts';
import { openUnstored } from './unstored.ts';

/**
 * Interval at which alerts are planned again, because no event announces the end of quiet hours, or the time of a digest or a
 * retry.
 */
const LOOK_MS = 20_000;
/** Maximum time that `close` waits for messages that are being sent. */
const MAX_DRAIN_MS = 3000;

export interface Alerter {
  /** Plans alerts for these open tasks. Call it each time the to-do list has been read. It returns before any alert is sent. */
  noteTasks(tasks: readonly StoredTask[]): void;
  /**
   * Sends a test message immediately. Resolves to null if the other side accepted it, and to the fault if not. Resolves to
   * undefined if the receiver does not exist.
   */
  test(receiverId: number): Promise<AlertFault | null | undefined>;
  /** The receivers in the form that the console shows. */
  view(): Promise<ReceiverView[]>;
  /** The numbers of messages that were sent and that failed since the gateway started. */
  counts(): { readonly sent: number; readonly failed: number };
  close(): Promise<void>;
}

export interface AlerterParts {
  readonly store: Pick<Store, 'alerts' | 'outbox' | 'watch'>;
  readonly clock: Clock;
  readonly send: Send;
  /** Returns a random number from 0 to 1, for the back-off. Default: `Math.random`. */
  readonly random?: () => number;
  /** Called when sending to a receiver fails for the first time, and when it works again. */
  readonly onChange: () => void;
  readonly onFault: (error: unknown) => void;
}

export function openAlerter({ store, clock, send, random = Math.random, onChange, onFault }: AlerterParts): Alerter {
  let tasks: readonly StoredTask[] | undefined;
  let isClosed = false;
  let working: Promise<void> | undefined;
  let isAsked = false;
  /** By receiver id: the message that is being sent. */
  const busy = new Map<number, Promise<void>>();
  const counts = { sent: 0, failed: 0 };
  const unstored = openUnstored();
  let callOff = clock.after(LOOK_MS, tick);

  store.watch({ setupChanged: look });

  const laneOf = (journalId: number) => store.outbox.lanes().find((lane) => lane.journalId === journalId);

  function tick(): void {
    if (isClosed) return;
    callOff = clock.after(LOOK_MS, tick);
    look();
  }

  /** Plans and sends the alerts. If this function is called again during the work, the work is repeated. */
  function look(): void {
    if (isClosed || tasks === undefined) return;
    isAsked = true;
    working ??= work().finally(() => (working = undefined));
  }

  async function work(): Promise<void> {
    while (isAsked && !isClosed) {
      isAsked = false;
      try {
        await carryOut();
      } catch (error) {
        onFault(error);
      }
    }
  }

  async function carryOut(): Promise<void> {
    for (const receiver of await store.alerts.list()) {
      // an error at one receiver must not stop the others
      if (!busy.has(receiver.id)) await serve(receiver).catch(onFault);
    }
  }

  /** Makes and carries out the plan for one receiver. */
  async function serve(receiver: StoredReceiver): Promise<void> {
    const { id: receiverId, settings, alerts } = receiver;
    const production = (tasks ?? []).filter(
      ({ journalId }) => journalId === null || laneOf(journalId)?.mode === 'production',
    );
    const told = unstored.listStoredSince(receiverId, production);
    const known = [...alerts, ...told.map((key): StoredAlert => ({ ...key, state: 'sent' }))];
    const fresh = unstored.withoutTold(receiverId, production);
    const { added, dropped, send: wanted, digestOn } = planAlerts({ ...receiver, alerts: known }, fresh, clock.now());
    const noteTold = unstored.prepareTold(receiverId, wanted?.tasks ?? []);
    const news = { receiverId, added: [...added, ...told], dropped, sent: told };
    const digest = digestOn === undefined ? {} : { digestOn };
    const isNews = added.length + dropped.length + told.length > 0;
    // Stored before sending. After a restart, the gateway then knows which tasks this receiver has not been told about.
    if (isNews || (wanted === null && digestOn !== undefined))
      await store.alerts
        .note(wanted === null ? { ...news, ...digest } : news)
        .then(() => unstored.forget(receiverId, told), onFault);
    if (wanted === null) return;
    const { language, timeZone } = settings;
    const { id, kind, more } = wanted;
    const message = writeMessage(
      { id, at: clock.now(), kind, tasks: wanted.tasks.map(viewTask), language, timeZone },
      more,
    );
    const sent = listStored(wanted.tasks);
    const sending = deliver(receiver, message, noteTold, { receiverId, added: sent, dropped: [], sent, ...digest })
      .catch(onFault)
      .finally(() => {
        busy.delete(receiverId);
        if (more > 0) look();
      });
    busy.set(receiverId, sending);
  }

  /** Sends a message and stores the outcome. Stores `report` only if the other side accepted the message. */
  async function deliver(
    receiver: StoredReceiver,
    message: Message,
    onSent: () => void,
    report: AlertReport,
  ): Promise<void> {
    const { fault, afterMs } = await attempt(receiver, message);
    const state = conditionAfter(receiver.state, fault, clock.now(), random(), afterMs);
    counts[fault === null ? 'sent' : 'failed'] += 1;
    if (fault === null) onSent();
    const outcome = fault === null ? report : { receiverId: receiver.id, added: [], dropped: [], sent: [] };
    if (outcome.sent.length > 0) await storeAtAnyCost({ ...outcome, state });
    else await store.alerts.note({ ...outcome, state });
    if ((fault === null) !== (receiver.state.failing === null)) onChange();
  }

  /**
   * Retries until the outcome is stored. Otherwise, with a full disk, the receiver would get the same message again and again.
   */
  async function storeAtAnyCost(report: AlertReport): Promise<void> {
    for (;;) {
      try {
        return await store.alerts.note(report);
      } catch (error) {
        onFault(error);
        if (isClosed) return;
        await new Promise<void>((resolve) => void clock.after(LOOK_MS, resolve));
      }
    }
  }

  async function attempt({ destination }: StoredReceiver, message: Message): Promise<Sent> {
    if (destination === undefined) return { fault: { code: 'sealed', detail: null } };
    const mail = destination.kind === 'email' ? await readMail() : null;
    return mail === undefined ? { fault: { code: 'sealed', detail: null } } : send(message, destination, mail);
  }

  /**
   * Reads the settings of the mail server, with its password. Null if none is set. Undefined if the password cannot be
   * decrypted.
   */
  async function readMail(): Promise<MailServer | null | undefined> {
    const mail: StoredMail | null = await store.alerts.mail();
    if (mail === null) return null;
    const { password } = mail;
    return password === undefined ? undefined : { ...mail, password };
  }

  function viewTask({ id, opening, fact, openedAt, journalId }: StoredTask): AlertTask {
    const administration = journalId === null ? null : (laneOf(journalId)?.administration ?? null);
    return { id, opening, fact, openedAt, administration };
  }

  return {
    noteTasks(present) {
      tasks = present;
      unstored.note(present, clock.now());
      look();
    },
    async test(receiverId) {
      const receiver = (await store.alerts.list()).find(({ id }) => id === receiverId);
      if (receiver === undefined) return undefined;
      const { language, timeZone } = receiver.settings;
      const at = clock.now();
      const message = writeMessage({
        id: `msg_test_${receiverId}_${at}`,
        at,
        kind: 'test',
        tasks: [],
        language,
        timeZone,
      });
      return (await attempt(receiver, message)).fault;
    },
    view: async () => (await store.alerts.list()).map(viewReceiver),
    counts: () => counts,
    async close() {
      isClosed = true;
      callOff();
      await working;
      const drained = Promise.all(busy.values());
      await Promise.race([drained, new Promise((resolve) => setTimeout(resolve, MAX_DRAIN_MS).unref())]);
    },
  };
}

export function viewReceiver({ id, kind, shown, settings, state, alerts }: StoredReceiver): ReceiverView {
  const waiting = alerts.filter((alert) => alert.state === 'waiting').length;
  return { ...settings, id, kind, shown, waiting, ...state };
}
