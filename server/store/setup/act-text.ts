// Describes an act in words for the command line: a name and a detail. The log stores these words together with the act,
// because versions before schema 14 read nothing else.

import type { NetworkChange, NotedAct, SettingChange, UnknownAct } from '../../contract/acts.ts';
import type { AmountRule } from '../../contract/amounts.ts';
import { plainFormats } from '../../contract/task-formats.ts';
import { taskWords } from '../../contract/task-words.ts';
import type { TaskFact } from '../../contract/todo.ts';
import { assertNever } from '../../errors.ts';

export interface ActText {
  /** The kind of act, such as "send again". */
  readonly name: string;
  /** What the act is about, such as "2 records: {"kind":"held"}"; empty if the name is enough. */
  readonly detail: string;
}

export function actText(act: NotedAct | UnknownAct): ActText {
  if (act.kind === 'unknown') return { name: act.name, detail: act.text };
  return { name: nameOf(act), detail: detailOf(act) };
}

/** Typed totals and imported totals share one name, as in versions before schema 14. */
function nameOf({ kind }: NotedAct): string {
  return kind === 'declare total' || kind === 'import totals' ? 'declare totals' : kind;
}

function detailOf(act: NotedAct): string {
  switch (act.kind) {
    case 'create administration':
    case 'change password':
    case 'sign out':
    case 'sign out everywhere':
    case 'pause':
    case 'resume':
    case 'try now':
    case 'confirm restore':
      return '';
    case 'restore':
      return act.madeAt === null ? '' : `backup of ${new Date(act.madeAt).toISOString()}`;
    case 'change administration':
    case 'change network':
      return act.changes.map(changeText).join(', ');
    case 'create key':
    case 'adopt key':
    case 'revoke key':
      return `${act.till}, key ${act.keyId}, for ${act.interface}`;
    case 'rotate key': {
      const until = new Date(act.replacedUntil).toISOString();
      return `${act.till}, key ${act.keyId}, instead of key ${act.replacedId}, which works until ${until}`;
    }
    case 'add user':
      return `${act.name}, ${act.role}`;
    case 'remove user':
    case 'reset password':
    case 'add read token':
    case 'remove read token':
      return act.name;
    case 'change role':
      return `${act.name}: ${act.before} → ${act.after}`;
    case 'sign in':
      return `${act.by}, from ${act.address}`;
    case 'refuse sign-in':
    case 'refuse link':
      return `from ${act.address}`;
    case 'refuse call':
      return `${act.status} ${act.code}, ${act.method} ${act.path}, from ${act.address}`;
    case 'make authority':
      return act.fingerprint;
    case 'certify till':
      return `${act.till}: ${act.passed} passed, ${act.failed} failed, ${act.skipped} skipped`;
    case 'mark task':
      return `${act.as}: ${taskText(act.fact)}${act.note === '' ? '' : ` ${act.note}`}`;
    case 'reopen task':
      return taskText(act.fact);
    case 'add receiver':
    case 'change receiver':
    case 'remove receiver':
      return `${act.name}, by ${act.by}`;
    case 'set mail server':
      return act.server ?? 'removed';
    case 'set amounts':
      return `${act.type}: ${act.after === null ? 'no amounts' : amountText(act.after)}`;
    case 'set upstream':
      return act.url;
    case 'send again':
      return `${recordsText(act)}${act.delivered ? ', delivered ones too' : ''}`;
    case 'set aside':
      return `${recordsText(act)} ${act.reason}`;
    case 'declare total': {
      const scope = [act.type, act.till].filter((part) => part !== null).join(', ');
      const amounts = (act.amounts ?? []).map(({ currency, value }) => `, ${value} ${currency ?? ''}`.trimEnd());
      return `${act.date}: ${act.records ?? 'taken back'}${amounts.join('')}${scope === '' ? '' : ` (${scope})`}`;
    }
    case 'import totals':
      return `${act.from === act.to ? act.from : `${act.from} … ${act.to}`}: ${act.totals} totals`;
    case 'sign off day':
    case 'take back signature':
      return `${act.date}: ${act.name}${act.note === '' ? '' : `, ${act.note}`}`;
    default:
      return assertNever(act);
  }
}

function taskText(fact: TaskFact): string {
  return taskWords(fact, 'en', plainFormats('en', 'UTC')).what;
}

function amountText({ total, currency, payment, sign }: AmountRule): string {
  const parts = [`total ${total}`, `currency ${currency ?? 'unknown'}`, `payment ${payment ?? 'unknown'}`, sign];
  return parts.join(', ');
}

function changeText({ member, before, after }: SettingChange | NetworkChange): string {
  return `${member}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
}

function recordsText({ records, moved, isOver }: Extract<NotedAct, { kind: 'send again' | 'set aside' }>): string {
  const chosen = JSON.stringify(records);
  if (moved === null) return chosen;
  return `${moved} ${moved === 1 ? 'record' : 'records'}${isOver ? '' : ' so far'}: ${chosen}`;
}
