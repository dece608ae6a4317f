// People, one-time links and read tokens in SQLite.

import type { PeopleLedger } from '../../people/ledger.ts';
import type { EngineParts } from '../engine/parts.ts';
import { isUseDue } from './read-token.ts';

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
    listReadTokens: () => reading(reader.call('listReadTokens', [])),
    findReadToken: (secret) => reading(reader.call('findReadToken', [secret])),
    async noteReadTokenUse(token) {
      if (isUseDue(token, now())) await guard(writer.call('noteReadTokenUse', [token, now()]));
    },
    addReadToken: (name, actor) => changing(writer.call('addReadToken', [name, actor, now()])),
    removeReadToken: (name, actor) => changing(writer.call('removeReadToken', [name, actor, now()])),
  };
}
