// Writes the text of an alert, and its request for each kind of receiver. An alert contains the sentences of tasks, the names
// of stores and tills, and times. It contains nothing from the body of a record. Pure.

import { createHmac } from 'node:crypto';

import type { AlertDestination } from '../contract/alerts.ts';
import { plainFormats } from '../contract/task-formats.ts';
import { type TaskLanguage, taskWords } from '../contract/task-words.ts';
import { isUrgent, type TaskFact } from '../contract/todo.ts';

/** The parts of a task that an alert needs. */
export interface AlertTask {
  readonly id: number;
  readonly opening: number;
  readonly fact: TaskFact;
  readonly openedAt: number;
  /** The store's name. Null if the task is about the gateway itself or its machine. */
  readonly administration: string | null;
}

export interface Message {
  /** The id of the message. A retry has the same id, so that the receiver can ignore duplicates. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly kind: 'alert' | 'digest' | 'test';
  readonly title: string;
  readonly lines: readonly string[];
  readonly tasks: readonly AlertTask[];
  readonly language: TaskLanguage;
  readonly timeZone: string;
}

const TITLES: Readonly<Record<TaskLanguage, Readonly<Record<Message['kind'], (count: number) => string>>>> = {
  en: {
    alert: (count) => (count === 1 ? 'Counterfoil: 1 new task' : `Counterfoil: ${count} new tasks`),
    digest: (count) => `Counterfoil: to do, ${count}`,
    test: () => 'Counterfoil: test',
  },
  nl: {
    alert: (count) => (count === 1 ? 'Counterfoil: 1 nieuwe taak' : `Counterfoil: ${count} nieuwe taken`),
    digest: (count) => `Counterfoil: te doen, ${count}`,
    test: () => 'Counterfoil: test',
  },
  de: {
    alert: (count) => (count === 1 ? 'Counterfoil: 1 neue Aufgabe' : `Counterfoil: ${count} neue Aufgaben`),
    digest: (count) => `Counterfoil: zu erledigen, ${count}`,
    test: () => 'Counterfoil: Test',
  },
};

const TEST_LINES: Readonly<Record<TaskLanguage, string>> = {
  en: 'This is a test. Alerts of this gateway arrive here.',
  nl: 'Dit is een test. Meldingen van deze gateway komen hier aan.',
  de: 'Dies ist ein Test. Meldungen dieses Gateways kommen hier an.',
};

const MORE: Readonly<Record<TaskLanguage, (count: number) => string>> = {
  en: (count) => `And ${count} more.`,
  nl: (count) => `En nog ${count}.`,
  de: (count) => `Und ${count} weitere.`,
};

/**
 * Writes the message for some tasks. `more` is the number of further tasks. The message gives only this number, and no text
 * about them.
 */
export function writeMessage(
  base: Pick<Message, 'id' | 'at' | 'kind' | 'tasks' | 'language' | 'timeZone'>,
  more = 0,
): Message {
  const { kind, tasks, language, timeZone } = base;
  const formats = plainFormats(language, timeZone);
  const lines = tasks.map(({ fact, administration }) => {
    const { what, action } = taskWords(fact, language, formats);
    return `${administration === null ? '' : `${administration}: `}${what} ${action}`;
  });
  if (kind === 'test') lines.push(TEST_LINES[language]);
  if (more > 0) lines.push(MORE[language](more));
  return { ...base, title: TITLES[language][kind](tasks.length + more), lines };
}

/** Maximum characters of a text, because Telegram accepts 4,096 characters and Teams 28 kB. */
const MAX_TEXT = 3500;

function textOf({ title, lines }: Message): string {
  const text = [title, ...lines.map((line) => `• ${line}`)].join('\n');
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).toWellFormed()} …`;
}

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Builds the HTTP request that sends a message. The request to a webhook has a signature in the format of standardwebhooks.com.
 */
export function requestOf(
  message: Message,
  destination: Exclude<AlertDestination, { kind: 'email' }>,
  now: number,
): HttpRequest {
  const json = { 'content-type': 'application/json', 'user-agent': 'counterfoil' };
  switch (destination.kind) {
    case 'slack': {
      // Slack treats <, > and & as markup, so they are escaped.
      const text = textOf(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
      return { url: destination.url, headers: json, body: JSON.stringify({ text }) };
    }
    case 'teams':
      return { url: destination.url, headers: json, body: JSON.stringify(cardOf(message)) };
    case 'telegram': {
      const body = { chat_id: destination.chat, text: textOf(message), link_preview_options: { is_disabled: true } };
      return {
        url: `${destination.url}/bot${destination.token}/sendMessage`,
        headers: json,
        body: JSON.stringify(body),
      };
    }
    case 'webhook': {
      const body = JSON.stringify(payloadOf(message));
      const seconds = String(Math.floor(now / 1000));
      const signature = sign(destination.key, message.id, seconds, body);
      return {
        url: destination.url,
        headers: { ...json, 'webhook-id': message.id, 'webhook-timestamp': seconds, 'webhook-signature': signature },
        body,
      };
    }
  }
}

/** Signs the id, the time stamp and the body with HMAC-SHA-256, as standardwebhooks.com specifies. */
function sign(key: string, id: string, seconds: string, body: string): string {
  const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

function payloadOf(message: Message): unknown {
  const { kind, at, title, tasks, lines } = message;
  return {
    type: `counterfoil.${kind}`,
    timestamp: new Date(at).toISOString(),
    title,
    tasks: tasks.map(({ id, opening, fact, openedAt, administration }, i) => ({
      id,
      opening,
      kind: fact.kind,
      urgent: isUrgent(fact),
      administration,
      since: new Date(openedAt).toISOString(),
      text: lines[i] ?? '',
    })),
  };
}

/** Builds an Adaptive Card, a format that Teams workflows accept. */
function cardOf({ title, lines }: Message): unknown {
  const block = (text: string, more: object = {}): unknown => ({ type: 'TextBlock', text, wrap: true, ...more });
  const shown = textOf({ title: '', lines } as Message)
    .split('\n')
    .slice(1);
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [block(title, { weight: 'Bolder', size: 'Medium' }), ...shown.map((line) => block(line))],
        },
      },
    ],
  };
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
}

export function mailOf(message: Message, to: string): Mail {
  const { title, lines, id } = message;
  return { to, subject: title, text: `${lines.join('\n\n')}\n`, messageId: `<${id}@counterfoil.invalid>` };
}
