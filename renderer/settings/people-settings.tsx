// Who may sign in with a name and a password; it is changed on the command line.

import { Stack, Text } from '@mantine/core';

import type { UserView } from '../../server/contract.ts';
import { Copyable } from '../parts/copyable.tsx';
import type { Formats } from '../words/format.ts';
import type { Setting } from './setting.tsx';
import type { Words } from './store-settings.tsx';

const ADD = 'counterfoil users add --name NAME --role clerk';

export function peopleSettings(users: readonly UserView[], t: Words, formats: Formats): readonly Setting[] {
  return [
    {
      id: 'users',
      title: t('users'),
      help: t('usersHelp'),
      alsoCalled: users.map(({ name }) => name).join(' '),
      control: (
        <Stack gap="xs">
          {users.length === 0 && <Text>{t('noUsers')}</Text>}
          {users.map(({ name, role, createdAt }) => (
            <Text key={name} title={formats.exact(createdAt)}>
              {name}{' '}
              <Text span c="dimmed">
                {t(role)}
              </Text>
            </Text>
          ))}
          <Copyable text={ADD} label={t('usersAdd')} />
        </Stack>
      ),
    },
  ];
}
