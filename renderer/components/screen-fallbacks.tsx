// The content of a screen that is loading, has failed, or does not exist.

import { Anchor, Button, Center, Group, Loader, Stack, Text } from '@mantine/core';
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { get, Problem } from '../api/client.ts';
import { useDisconnectedSince } from '../api/live.ts';
import { LazyPartError } from '../lib/lazy-part.tsx';

export function LoadingScreen() {
  const { t } = useTranslation('app');
  return (
    <Center h="40vh" role="status">
      <Group gap="xs" c="dimmed">
        <Loader size="xs" type="dots" aria-hidden />
        {t('loading')}
      </Group>
    </Center>
  );
}

/** The minimum age of a page before it reloads automatically, so that a page that always fails stays readable. */
const MIN_PAGE_AGE_MS = 3000;

/** Shows the error with a button, and retries automatically when the connection is back. */
export function FailedScreen({ error, reset }: Partial<ErrorComponentProps> & { readonly error: unknown }) {
  const { t } = useTranslation('app');
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  const again = (): void => {
    if (error instanceof LazyPartError) return reloadIfReached();
    boundary.reset();
    reset?.();
    void router.invalidate();
  };
  const isLost = useDisconnectedSince() !== null;
  const wasLost = useRef(isLost);
  const tryAgain = useEffectEvent(again);
  useEffect(() => {
    if (wasLost.current && !isLost) tryAgain();
    wasLost.current = isLost;
  }, [isLost]);
  // Two causes are likely: a new version of the gateway no longer has this chunk, or this computer's network has changed.
  const isPartMissing = error instanceof LazyPartError;
  useEffect(() => {
    if (!isPartMissing) return;
    const timer = setTimeout(tryAgain, Math.max(0, MIN_PAGE_AGE_MS - performance.now()));
    return () => clearTimeout(timer);
  }, [isPartMissing]);
  return (
    <Center h="40vh">
      <Stack align="center" gap="xs" role="alert">
        <Text fw={600}>{error instanceof Problem ? error.message : t('failed')}</Text>
        <Button variant="light" onClick={again}>
          {t('again')}
        </Button>
        <Text size="xs" c="dimmed">
          {error instanceof Problem ? error.code : error instanceof Error ? error.message : String(error)}
        </Text>
      </Stack>
    </Center>
  );
}

/** Reloads the page if the gateway answers. Otherwise the page stays, because a reload would fail too. */
function reloadIfReached(): void {
  get('entrance').then(
    () => location.reload(),
    () => undefined,
  );
}

export function NotFoundScreen() {
  const { t } = useTranslation('app');
  return (
    <Center h="40vh">
      <Stack align="center" gap="xs">
        <Text fw={600}>{t('notFound')}</Text>
        <Anchor component={Link} to="/">
          {t('toToday')}
        </Anchor>
      </Stack>
    </Center>
  );
}
