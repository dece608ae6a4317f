// The frame of every screen: the rail, the title, the line state and the journal switch.

import { Alert, AppShell, Box, Menu, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { CircleUserRound, Ellipsis, LogOut, WifiOff } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type JournalView, USED_LINK_HASH } from '../../server/contract/setup.ts';
import { Problem, send } from '../api/client.ts';
import { useDisconnectedSince } from '../api/live.ts';
import { overviewQuery, sessionQuery } from '../api/queries.ts';
import { passwordCodeIn, signOutKeepingChoices } from '../api/session-key.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { FailedScreen, LoadingScreen } from '../components/screen-fallbacks.tsx';
import { lazyPart } from '../lib/lazy-part.tsx';
import { useNow } from '../lib/use-now.ts';
import { useActorWords } from '../model/actor-words.ts';
import { pageAt, type Screen, screenAt, SCREENS } from '../model/screens.ts';
import { useSelectedJournal, useRememberJournal, useStoreFormats } from '../model/selected-journal.ts';
import { JournalSwitch } from './journal-switch.tsx';
import { LinePill, useAttention } from './line-pill.tsx';
import { PaletteButton } from './palette-button.tsx';
import { Shortcuts } from './shortcuts.tsx';

import classes from './frame.module.css';

const DayNotice = lazyPart(async () => (await import('./day-notice.tsx')).DayNotice);
const NetworkNotice = lazyPart(async () => (await import('./network-notice.tsx')).NetworkNotice);
const NewPasswordScreen = lazyPart(async () => (await import('../sign-in/new-password-screen.tsx')).default);
const SignInScreen = lazyPart(async () => (await import('../sign-in/sign-in-screen.tsx')).default);

export function Frame() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  const hash = useRouterState({ select: ({ location }) => location.hash });
  const code = passwordCodeIn(hash);
  const [wasSignedIn, setWasIn] = useState(false);
  if (session != null && !wasSignedIn) setWasIn(true);
  if (session === undefined)
    return error === null ? <LoadingScreen /> : <FailedScreen error={error} reset={() => void refetch()} />;
  return (
    <Suspense fallback={<LoadingScreen />}>
      {code !== undefined ? (
        <NewPasswordScreen key={code} code={code} />
      ) : session === null ? (
        <SignInScreen wasSignedIn={wasSignedIn} isLinkUsed={`#${hash}` === USED_LINK_HASH} />
      ) : (
        <SignedIn />
      )}
    </Suspense>
  );
}

function SignedIn() {
  const { t } = useTranslation('app');
  const journal = useSelectedJournal();
  useRememberJournal();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const place = screenAt(path);
  const name = pageAt(path)?.name ?? place?.name;
  const isTest = journal?.mode === 'test';
  useDocumentTitle(name === undefined ? t('product') : `${t(name)} · ${t('product')}`);
  const lostSince = useDisconnectedSince();
  const signOut = useSignOut();
  return (
    <>
      {isTest && <div className="test-band" aria-hidden />}
      <a href="#content" className={classes.skip}>
        {t('skip')}
      </a>
      <AppShell header={{ height: 56 }} padding="md" className={classes.shell}>
        <AppShell.Header className={classes.header}>
          <div className={classes.bar}>
            <div className={classes.heading}>
              <Title order={1} size="h4" className={classes.title}>
                {t(name ?? 'product')}
              </Title>
              {isTest && (
                <Text fw={700} lh={1.2} c="var(--cf-test)">
                  {t('test')}
                </Text>
              )}
            </div>
            <PaletteButton />
            {journal !== undefined && <LinePill journalId={journal.id} />}
            <div className={classes.switch}>
              <JournalSwitch />
            </div>
          </div>
        </AppShell.Header>
        <Rail place={place} onSignOut={signOut.mutate} />
        <AppShell.Main
          id="content"
          tabIndex={-1}
          className={classes.main}
          {...(lostSince !== null && { 'data-lost': true })}
        >
          {journal !== undefined && <PrintedHead journal={journal} title={t(name ?? 'product')} />}
          <LostConnection />
          <NotSignedOut error={signOut.error} />
          <Suspense>
            <NetworkNotice isOnItsPage={name === 'network'} />
          </Suspense>
          {journal !== undefined && <Notice key={journal.id} journalId={journal.id} />}
          <Suspense fallback={<LoadingScreen />}>
            <Outlet />
          </Suspense>
        </AppShell.Main>
      </AppShell>
      <Shortcuts />
    </>
  );
}

function Notice({ journalId }: { readonly journalId: number }) {
  const { data: overview } = useQuery(overviewQuery(journalId));
  return (
    overview !== undefined && (
      <Suspense>
        <DayNotice journalId={journalId} today={overview.day.date} />
      </Suspense>
    )
  );
}

interface RailProps {
  readonly place: Screen | undefined;
  readonly onSignOut: () => void;
}

/** The header of a printed screen: the names of the store and the screen, and the time of printing. */
function PrintedHead({ journal, title }: { readonly journal: JournalView; readonly title: string }) {
  const formats = useStoreFormats();
  return (
    <div className={classes.printed} aria-hidden>
      <strong>{journal.administration}</strong> · {title} · {formats.exact(useNow())}
    </div>
  );
}

function Rail({ place: here, onSignOut }: RailProps) {
  const { t } = useTranslation('app');
  const attention = useAttention();
  return (
    <nav className={classes.rail} aria-label={t('product')}>
      <Box className={classes.brand}>
        <span className={classes.mark} aria-hidden />
        <span className={classes.label}>{t('product')}</span>
      </Box>
      {SCREENS.map(({ to, name, Icon, isInBar }) => {
        const count = attention[name] ?? 0;
        const isHere = to === here?.to;
        return (
          <Link
            key={to}
            to={to}
            className={classes.place}
            data-here={isHere || undefined}
            data-behind={isInBar ? undefined : true}
            aria-current={isHere ? 'page' : undefined}
            title={t(name)}
          >
            <Icon size={16} aria-hidden />
            <span className={classes.label}>{t(name)}</span>
            <Count count={count} />
          </Link>
        );
      })}
      <Person />
      <UnstyledButton className={classes.place} data-behind onClick={() => onSignOut()} title={t('signOut')}>
        <LogOut size={16} aria-hidden />
        <span className={classes.label}>{t('signOut')}</span>
      </UnstyledButton>
      <MorePlaces place={here} onSignOut={onSignOut} attention={attention} />
    </nav>
  );
}

/** The signed-in person, at the end of the rail. */
function Person() {
  const said = usePersonWords();
  return (
    <div className={classes.person} title={`${said.name}, ${said.role}`}>
      <CircleUserRound size={16} aria-hidden />
      <span className={classes.label}>
        <PersonWords />
      </span>
    </div>
  );
}

function PersonWords() {
  const { name, role } = usePersonWords();
  return (
    <>
      <Text span lineClamp={2} fz="sm" lh={1.3} fw={600} c="var(--mantine-color-text)">
        {name}
      </Text>
      <Text span display="block" truncate fz="xs" c="dimmed">
        {role}
      </Text>
    </>
  );
}

function usePersonWords(): { readonly name: string; readonly role: string } {
  const { t } = useTranslation('people');
  const actorWords = useActorWords();
  const { data: session } = useQuery(sessionQuery);
  if (session == null) return { name: '', role: '' };
  const { actor, role } = session;
  return { name: actorWords(actor), role: t(role) };
}

/**
 * Highest number that an item of the rail shows, because there is little space beside the icon. The tooltip shows the exact
 * number.
 */
const MAX_SHOWN = 99;

/** Shows the number of things that need attention on a screen. */
function Count({ count }: { readonly count: number }) {
  const { t } = useTranslation('app');
  const formats = useStoreFormats();
  if (count === 0) return null;
  return (
    <span className={classes.count} title={t('attention', { count, n: formats.number(count) })}>
      {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
    </span>
  );
}

/** The menu of a phone for screens that do not fit into the bottom bar. */
function MorePlaces({
  place,
  onSignOut,
  attention,
}: RailProps & { readonly attention: ReturnType<typeof useAttention> }) {
  const { t } = useTranslation('app');
  const behind = SCREENS.filter(({ isInBar }) => !isInBar);
  return (
    <Menu position="top-end">
      <Menu.Target>
        <UnstyledButton
          className={`${classes.place} ${classes.more}`}
          data-here={place?.isInBar === false || undefined}
        >
          <Ellipsis size={16} aria-hidden />
          <span className={classes.label}>{t('more')}</span>
          <Count count={behind.reduce((sum, { name }) => sum + (attention[name] ?? 0), 0)} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {behind.map(({ to, name, Icon }) => (
          <Menu.Item
            component={Link}
            key={to}
            to={to}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={<Count count={attention[name] ?? 0} />}
          >
            {t(name)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Label component="div">
          <PersonWords />
        </Menu.Label>
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => onSignOut()}>
          {t('signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/**
 * Signs out. The sign-in screen appears only after the gateway has ended the session. Until then, the next person at this
 * browser could still use the session.
 */
function useSignOut() {
  const leave = (): void => location.assign('/');
  return useMutation({
    mutationFn: () => signOutKeepingChoices(() => send('DELETE', 'session')),
    onSuccess: leave,
    onError: (error) => {
      if (error instanceof Problem && error.status === 401) leave();
    },
  });
}

function NotSignedOut({ error }: { readonly error: Error | null }) {
  const { t } = useTranslation('app');
  if (error === null) return null;
  return (
    <Stack gap="xs" mb="md">
      <Text fw={600}>{t('stillSignedIn')}</Text>
      <ErrorAlert error={error} />
    </Stack>
  );
}

function LostConnection() {
  const { t } = useTranslation('app');
  const lostSince = useDisconnectedSince();
  const formats = useStoreFormats();
  if (lostSince === null) return null;
  return (
    <Alert color="yellow" icon={<WifiOff size={16} aria-hidden />} mb="md" role="status">
      {t('lost', { time: formats.clock(lostSince) })}
    </Alert>
  );
}
