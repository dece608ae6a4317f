// The users: managers add them, change their roles, reset their passwords and remove them.

import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { PasswordLinkView, UserChangeRequest, UserView } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { Problem, send } from '../api/client.ts';
import { networkQuery, sessionQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { isLoopback } from '../lib/loopback.ts';
import { useIsManager, useStoreFormats } from '../model/selected-journal.ts';
import { NewUser } from './new-user.tsx';

/** A link to hand to a user. */
export interface HandedLink {
  readonly name: string;
  readonly link: PasswordLinkView;
}

const ACTS = ['role', 'reset', 'remove'] as const;
type UserAct = (typeof ACTS)[number];

export function Users({ users }: { readonly users: readonly UserView[] }) {
  const { t } = useTranslation('people');
  const isManager = useIsManager();
  const [asked, setAsked] = useState<{ readonly user: UserView; readonly act: UserAct }>();
  const [isAdding, setAdding] = useState(false);
  const [handed, setHanded] = useState<HandedLink>();
  return (
    <Stack gap="md" align="flex-start">
      {users.length === 0 && <Text>{t('none')}</Text>}
      {users.length > 0 && (
        <Stack component="ul" gap="sm" m={0} p={0} w="100%" style={{ listStyle: 'none' }}>
          {users.map((user) => (
            <User key={user.name} user={user} onAsk={isManager ? (act) => setAsked({ user, act }) : undefined} />
          ))}
        </Stack>
      )}
      {handed !== undefined && <Handed {...handed} onClose={() => setHanded(undefined)} />}
      {isManager && (
        <Button
          variant="light"
          leftSection={<UserPlus size={16} aria-hidden />}
          onClick={() => {
            setHanded(undefined);
            setAdding(true);
          }}
        >
          {t('add')}
        </Button>
      )}
      {isAdding && <NewUser onClose={() => setAdding(false)} onLink={setHanded} />}
      {asked !== undefined && (
        <Confirm key={asked.act} {...asked} onClose={() => setAsked(undefined)} onLink={setHanded} />
      )}
    </Stack>
  );
}

function User({
  user: { name, role, createdAt },
  onAsk,
}: {
  readonly user: UserView;
  readonly onAsk: ((act: UserAct) => void) | undefined;
}) {
  const { t } = useTranslation('people');
  const formats = useStoreFormats();
  const { data: session } = useQuery(sessionQuery);
  const isOwn = session?.actor === name;
  return (
    <li>
      <Text title={formats.exact(createdAt)} style={{ overflowWrap: 'anywhere' }}>
        {name}{' '}
        <Text span c="dimmed">
          {t(role)}
          {isOwn && ` · ${t('you')}`}
        </Text>
      </Text>
      {onAsk !== undefined && (
        <Group gap={4} ml={-8}>
          {/* Users cannot reset their own password: the reset would sign them out before they see the link. */}
          {ACTS.filter((act) => !isOwn || act !== 'reset').map((act) => (
            <Button
              key={act}
              size="compact-sm"
              variant="subtle"
              {...(act === 'remove' && { color: 'red' })}
              aria-label={`${name}: ${actWord(act, role, t)}`}
              onClick={() => onAsk(act)}
            >
              {actWord(act, role, t)}
            </Button>
          ))}
        </Group>
      )}
    </li>
  );
}

function actWord(act: UserAct, role: UserView['role'], t: ReturnType<typeof useTranslation<'people'>>['t']): string {
  if (act === 'role') return t(role === 'manager' ? 'makeClerk' : 'makeManager');
  return t(act);
}

/** Asks for confirmation, because the change signs the user out. */
function Confirm({
  user: { name, role },
  act,
  onClose,
  onLink,
}: {
  readonly user: UserView;
  readonly act: UserAct;
  readonly onClose: () => void;
  readonly onLink: (handed: HandedLink | undefined) => void;
}) {
  const { t } = useTranslation(['people', 'app']);
  const path = `users/${encodeURIComponent(name)}`;
  const change = useAct(async (): Promise<PasswordLinkView | undefined> => {
    if (act === 'reset') return send<PasswordLinkView>('POST', `${path}/reset`);
    if (act === 'remove') return send<undefined>('DELETE', path);
    const wanted = { role: role === 'manager' ? 'clerk' : 'manager' } as const satisfies UserChangeRequest;
    await send('PATCH', path, wanted);
    return undefined;
  });
  /** Adds the name of the last manager to the error. The list may show other managers, but they have no password yet. */
  const error =
    change.error instanceof Problem && change.error.code === 'last_manager'
      ? new Problem(change.error.status, change.error.code, `${t('mustStay', { name })} ${change.error.message}`)
      : change.error;
  const title = {
    role: t(role === 'manager' ? 'clerkTitle' : 'managerTitle', { name }),
    reset: t('resetTitle', { name }),
    remove: t('removeTitle', { name }),
  }[act];
  const means = {
    role: t(role === 'manager' ? 'clerkMeans' : 'managerMeans'),
    reset: t('resetMeans'),
    remove: t('removeMeans'),
  }[act];
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('app:close') }}>
      <Stack gap="sm">
        <Text>{means}</Text>
        <ErrorAlert error={error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('app:cancel')}
          </Button>
          <Button
            {...(act === 'remove' && { color: 'red' })}
            loading={change.isPending}
            onClick={() =>
              change.mutate(undefined, {
                onSuccess(link) {
                  onLink(link && { name, link });
                  onClose();
                },
              })
            }
          >
            {actWord(act, role, t)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The link for a new password, shown once. */
function Handed({ name, link, onClose }: HandedLink & { readonly onClose: () => void }) {
  const { t } = useTranslation(['people', 'app']);
  const formats = useStoreFormats();
  const { data: network } = useQuery(networkQuery);
  const base = network?.consoleAddresses[0] ?? location.origin;
  return (
    <Alert
      w="100%"
      role="status"
      withCloseButton
      closeButtonLabel={t('app:close')}
      onClose={onClose}
      title={t('linkTitle', { name })}
    >
      <Stack gap={6}>
        <Text size="sm">{t('linkMeans', { time: formats.time(link.expiresAt) })}</Text>
        <Copyable text={new URL(link.path, base).href} label={t('link')} isBlock />
        {isLoopback(new URL(base).hostname) && <Text size="sm">{t('linkHere')}</Text>}
      </Stack>
    </Alert>
  );
}
