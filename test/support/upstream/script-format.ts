import {
  type Behaviour,
  type Condition,
  ELSEWHERE,
  isPlainKind,
  PLAIN_KINDS,
  type RetryAfter,
  type Script,
  type Track,
  UNITS,
} from './script.ts';

/** Writes a script as one line of text. Parsing that text gives the same script. */
export function formatScript({ rules, main, seed }: Script): string {
  const clauses = rules.map(
    ({ conditions, track }) => `${conditions.map(formatCondition).join(' ')}: ${formatTrack(track)}`,
  );
  return [...clauses, ...(seed === 1 ? [] : [`seed=${seed}`]), formatTrack(main)].join('; ');
}

function formatCondition(condition: Condition): string {
  switch (condition.kind) {
    case 'id':
      return `id=${formatText(condition.pattern)}`;
    case 'asks':
      return condition.asks;
    case 'interface':
      return condition.interface;
    case 'attempt':
      return `attempt=${condition.from}${condition.to === condition.from ? '' : `-${condition.to}`}`;
    case 'chance':
      return `${condition.percent}%`;
  }
}

function formatTrack({ steps, repeats }: Track): string {
  const texts = steps.map(({ behaviour, lasts }, i) => {
    const text = formatBehaviour(behaviour);
    if (lasts.kind === 'time') return `${text} for ${formatTime(lasts.ms)}`;
    const isUnsaid = lasts.kind === 'ever' || (lasts.count === 1 && (repeats || i < steps.length - 1));
    return isUnsaid ? text : `${text} x${lasts.count}`;
  });
  return [...texts, ...(repeats ? ['repeat'] : [])].join(', ');
}

/** A behaviour as a script names it. */
export function formatBehaviour(behaviour: Behaviour): string {
  const { takes, afterMs } = behaviour;
  const words = [formatKind(behaviour)];
  if (takes !== takesByItself(behaviour)) words.push(takes ? 'taken' : 'untaken');
  if (afterMs > 0) words.push(`after ${formatTime(afterMs)}`);
  if ('body' in behaviour) words.push(`body ${JSON.stringify(behaviour.body)}`);
  if ('retryAfter' in behaviour) words.push(formatRetryAfter(behaviour.retryAfter));
  return words.join(' ');
}

function formatKind(behaviour: Behaviour): string {
  switch (behaviour.kind) {
    case 'accept':
      return behaviour.status === undefined ? 'accept' : `accept ${behaviour.status}`;
    case 'refuse':
      return String(behaviour.status);
    case 'redirect':
      return `${behaviour.status}${behaviour.location === ELSEWHERE ? '' : ` to ${formatText(behaviour.location)}`}`;
    case 'dribble':
      return behaviour.everyMs === 1 ? 'dribble' : `dribble ${formatTime(behaviour.everyMs)}`;
    default:
      return behaviour.kind;
  }
}

function takesByItself({ kind }: Behaviour): boolean {
  return isPlainKind(kind) ? PLAIN_KINDS[kind] : kind === 'accept' || kind === 'dribble';
}

function formatRetryAfter(retryAfter: RetryAfter): string {
  switch (retryAfter.kind) {
    case 'seconds':
      return `retry-after ${formatTime(retryAfter.seconds * 1000)}`;
    case 'date':
      return `retry-after-date ${formatTime(retryAfter.inMs)}`;
    case 'text':
      return `retry-after ${JSON.stringify(retryAfter.text)}`;
  }
}

function formatText(text: string): string {
  return /^[^\s,;:"]+$/.test(text) ? text : JSON.stringify(text);
}

function formatTime(ms: number): string {
  const [unit, size] = Object.entries(UNITS).find(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
