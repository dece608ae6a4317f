// The people who may sign in, the programs that may read, and the user's own sessions and password.

import type { SettingsView } from '../../server/contract/setup.ts';
import type { Setting } from '../components/setting-row.tsx';
import { OwnPassword } from './own-password.tsx';
import { ReadTokens } from './read-tokens.tsx';
import { Sessions } from './sessions.tsx';
import type { Words } from './store-settings.tsx';
import { Users } from './users.tsx';

export function peopleSettings(
  { users }: Pick<SettingsView, 'users'>,
  { hasPassword, isManager }: { readonly hasPassword: boolean; readonly isManager: boolean },
  t: Words,
): readonly Setting[] {
  return [
    {
      id: 'users',
      title: t('users'),
      help: t('usersHelp'),
      alsoCalled: users.map(({ name }) => name).join(' '),
      control: <Users users={users} />,
    },
    ...(isManager
      ? [{ id: 'readTokens', title: t('readTokens'), help: t('readTokensHelp'), control: <ReadTokens /> }]
      : []),
    { id: 'sessions', title: t('sessions'), help: t('sessionsHelp'), control: <Sessions /> },
    ...(hasPassword
      ? [{ id: 'ownPassword', title: t('ownPassword'), help: t('ownPasswordHelp'), control: <OwnPassword /> }]
      : []),
  ];
}
