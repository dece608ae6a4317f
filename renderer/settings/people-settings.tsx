// The people who may sign in, and the user's own sessions and password.

import type { SettingsView } from '../../server/contract/setup.ts';
import type { Setting } from '../components/setting-row.tsx';
import { OwnPassword } from './own-password.tsx';
import { Sessions } from './sessions.tsx';
import type { Words } from './store-settings.tsx';
import { Users } from './users.tsx';

export function peopleSettings(
  { users }: Pick<SettingsView, 'users'>,
  hasPassword: boolean,
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
    { id: 'sessions', title: t('sessions'), help: t('sessionsHelp'), control: <Sessions /> },
    ...(hasPassword
      ? [{ id: 'ownPassword', title: t('ownPassword'), help: t('ownPasswordHelp'), control: <OwnPassword /> }]
      : []),
  ];
}
