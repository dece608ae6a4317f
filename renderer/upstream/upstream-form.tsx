// The upstream's address and our key for it. The key is never shown. The connection test before saving is optional.

import { Button, Checkbox, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { PlugZap } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { UpstreamCheck, UpstreamCheckRequest, UpstreamRequest } from '../../server/contract/lanes.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert, fieldErrorOf } from '../components/error-alert.tsx';
import { ManagerButton } from '../components/manager-button.tsx';
import { CheckSteps } from './check-steps.tsx';
import { isPlainHttp, isWebAddress, keepsKey } from './upstream-address.ts';

const FIELDS = ['url', 'token', 'plainHttp'];

export function UpstreamForm({
  lane,
  onSaved,
  onCancel,
}: {
  readonly lane: { readonly id: number; readonly url: string | null };
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}) {
  const { t } = useTranslation(['upstream', 'app']);
  const [url, setUrl] = useState(lane.url ?? '');
  const [token, setToken] = useState('');
  const [plainHttp, setPlainHttp] = useState(isPlainHttp(lane.url ?? ''));
  const [missing, setMissing] = useState<{ readonly url?: string; readonly token?: string }>({});
  const save = useAct((input: UpstreamRequest) => send('PUT', `lanes/${lane.id}/upstream`, input));
  const check = useMutation({
    mutationFn: (input: UpstreamRequest) =>
      send<UpstreamCheck>('POST', 'upstream-check', { laneId: lane.id, ...input } satisfies UpstreamCheckRequest),
  });
  const mayKeep = keepsKey(url, lane.url);
  const error = save.error ?? check.error;

  const changed = (): void => {
    setMissing({});
    save.reset();
    check.reset();
  };
  /** Runs the act with valid input, or highlights the missing fields. */
  const withInput = (act: (input: UpstreamRequest) => void): void => {
    const lacking = {
      ...(!isWebAddress(url) && { url: t(url.trim() === '' ? 'urlMissing' : 'urlForm') }),
      ...(token.trim() === '' && !mayKeep && { token: t(lane.url === null ? 'tokenMissing' : 'tokenAgain') }),
    };
    setMissing(lacking);
    if (Object.keys(lacking).length > 0) return;
    save.reset();
    check.reset();
    act({ url: url.trim(), plainHttp, ...(token.trim() !== '' && { token: token.trim() }) });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    withInput((input) => save.mutate(input, { onSuccess: onSaved }));
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={560}>
        <TextInput
          label={t('url')}
          description={t('urlHelp')}
          placeholder="https://api.example.com"
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          value={url}
          error={missing.url ?? fieldErrorOf(error, 'url')}
          onChange={(event) => {
            setUrl(event.currentTarget.value);
            changed();
          }}
        />
        <PasswordInput
          label={t('token')}
          description={t('tokenHelp')}
          placeholder={mayKeep ? t('tokenSet') : ''}
          autoComplete="off"
          value={token}
          error={missing.token ?? fieldErrorOf(error, 'token')}
          visibilityToggleButtonProps={{ 'aria-label': t('tokenShow') }}
          onChange={(event) => {
            setToken(event.currentTarget.value);
            changed();
          }}
        />
        {(isPlainHttp(url) || plainHttp) && (
          <Checkbox
            label={t('plainHttp')}
            description={t('plainHttpHelp')}
            checked={plainHttp}
            error={fieldErrorOf(error, 'plainHttp')}
            onChange={(event) => {
              setPlainHttp(event.currentTarget.checked);
              changed();
            }}
          />
        )}
        <ErrorAlert error={error} fields={FIELDS} />
        <Group gap="xs">
          <ManagerButton type="submit" loading={save.isPending}>
            {t('app:save')}
          </ManagerButton>
          <ManagerButton
            variant="default"
            leftSection={<PlugZap size={16} aria-hidden />}
            loading={check.isPending}
            onClick={() => withInput((input) => check.mutate(input))}
          >
            {t('test')}
          </ManagerButton>
          {onCancel !== undefined && (
            <Button variant="subtle" color="gray" onClick={onCancel}>
              {t('app:cancel')}
            </Button>
          )}
        </Group>
        <div role="status">{check.data !== undefined && <CheckSteps steps={check.data.steps} />}</div>
      </Stack>
    </form>
  );
}
