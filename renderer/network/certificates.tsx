// The certificate in use and the gateway's own authority: who made them, until when they are valid, and how tills trust them.

import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Download, ExternalLink } from 'lucide-react';
import { useTranslation } from 'react-i18next';

import type { AuthorityView, CertificateView, NetworkView } from '../../server/contract/network.ts';
import { Copyable } from '../components/copyable.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useNow } from '../lib/use-now.ts';
import { CERTIFICATE_WARNING_MS, downloadBase } from '../model/network-state.ts';
import { useStoreFormats } from '../model/selected-journal.ts';

export function Certificate({ certificate }: { readonly certificate: CertificateView | null }) {
  const { t } = useTranslation('network');
  if (certificate === null) return <Text>{t('noCertificate')}</Text>;
  const { source, names, fingerprint, expiresAt } = certificate;
  return (
    <Stack gap="xs" align="flex-start">
      <Text>{t(`source_${source}`)}</Text>
      <Expiry
        at={expiresAt}
        isWatched={source === 'files'}
        note={source === 'own' ? t('renewedAutomatically') : undefined}
      />
      <Fact label={t('certificateNames')}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {names.join(', ')}
        </Text>
      </Fact>
      <Fact label={t('certificateFingerprint')}>
        <Copyable text={fingerprint} label={t('certificateFingerprint')} />
      </Fact>
    </Stack>
  );
}

export function Authority({ view, authority }: { readonly view: NetworkView; readonly authority: AuthorityView }) {
  const { t } = useTranslation('network');
  const formats = useStoreFormats();
  const base = downloadBase(view, location.hostname);
  return (
    <Stack gap="xs" align="flex-start">
      <Expiry at={authority.expiresAt} note={t('madeOn', { time: formats.time(authority.createdAt) })} />
      <Fact label={t('fingerprintToCompare')}>
        <Copyable text={authority.fingerprint} label={t('fingerprintToCompare')} />
      </Fact>
      <Fact label={t('authorityFile')}>
        <Copyable text={authority.file} label={t('authorityFile')} />
      </Fact>
      <Group gap="md">
        {(['ca.pem', 'ca.der'] as const).map((name) => (
          <Anchor key={name} href={`${base}/${name}`} download size="sm">
            <Group component="span" gap={6} wrap="nowrap">
              <Download size={16} aria-hidden />
              {t('download', { name })}
            </Group>
          </Anchor>
        ))}
        <Anchor href={`${base}/trust`} target="_blank" rel="noreferrer" size="sm">
          <Group component="span" gap={6} wrap="nowrap">
            <ExternalLink size={16} aria-hidden />
            {t('howToTrust')}
          </Group>
        </Anchor>
      </Group>
    </Stack>
  );
}

function Expiry({
  at,
  note,
  isWatched = false,
}: {
  readonly at: number;
  readonly note: string | undefined;
  /** Whether a person must renew this certificate in time. */
  readonly isWatched?: boolean;
}) {
  const { t } = useTranslation('network');
  const formats = useStoreFormats();
  const now = useNow();
  const isOver = at <= now;
  const isSoon = isWatched && at - now <= CERTIFICATE_WARNING_MS;
  const date = formats.fullDate(formats.day(at));
  return (
    <div title={formats.exact(at)}>
      <StateMark tone={isOver ? 'bad' : isSoon ? 'differs' : 'fine'}>
        {t(isOver ? 'expired' : 'expires', { date })}
      </StateMark>
      {note !== undefined && (
        <Text size="sm" c="dimmed" pl={22}>
          {note}
        </Text>
      )}
    </div>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div style={{ maxWidth: '100%' }}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {children}
    </div>
  );
}
