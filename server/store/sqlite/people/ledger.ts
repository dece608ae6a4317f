// People and one-time links in SQLite.

import type { PeopleLedger } from '../../people/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';

export function openPeopleLedger({ reader, writer, reading, guard, changing, now }: EngineParts): PeopleLedger {
  return {
    list: () => reading(reader.call('listUsers', [])),
    find: (name) => reading(reader.call('findUser', [name])),
    add: (user, actor) => changing(writer.call('addUser', [user, actor])),
    remove: (name, actor, mayBeLast = false) => changing(writer.call('removeUser', [name, mayBeLast, actor, now()])),
    changeRole: (change, actor, mayBeLast = false) =>
      changing(writer.call('changeRole', [change, mayBeLast, actor, now()])),
    resetPassword: (change, actor) => changing(writer.call('resetPassword', [change, actor, now()])),
    changePassword: (change) => changing(writer.call('changePassword', [change, now()])),
    createLink: (expiresAt) => guard(writer.call('createLink', [expiresAt])),
    useLink: (secret) => guard(writer.call('useLink', [secret, now()])),
  };
}
