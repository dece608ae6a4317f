// The three steps that connect a till: try, trust, enter. The test request comes first, because it needs no preparation at the
// till.

import { Stack, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { joinRequestKind, recordsUrl } from '../../server/contract/join-request.ts';
import { Copyable } from '../components/copyable.tsx';
import type { Joining } from './joining.ts';
import { type Language, LANGUAGE_NAMES, LANGUAGES } from './request-writers.ts';

import classes from './join-card.module.css';

export function JoinSteps({
  joining,
  request,
  language,
  onLanguage,
  onTake,
}: {
  readonly joining: Joining;
  readonly request: string;
  readonly language: Language;
  readonly onLanguage: (language: Language) => void;
  /** Called when the key was copied. */
  readonly onTake: () => void;
}) {
  const { t } = useTranslation(['join', 'tills']);
  const { key, place, secret } = joining;
  const { authority, address } = place;
  const url = recordsUrl(address, key.interface);
  return (
    <ol className={classes.steps}>
      <Step title={t('tryTitle')}>
        <Text>{t(`try_${joinRequestKind(joining)}`)}</Text>
        {authority !== null && <Text>{t('tryChecks')}</Text>}
        {secret === null && joinRequestKind(joining) !== 'health' && <Text>{t('placeholder')}</Text>}
        <Tabs
          value={language}
          onChange={(value) => onLanguage(LANGUAGES.find((each) => each === value) ?? 'curl')}
          keepMounted={false}
        >
          <Tabs.List aria-label={t('language')}>
            {LANGUAGES.map((each) => (
              <Tabs.Tab key={each} value={each}>
                {LANGUAGE_NAMES[each]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {LANGUAGES.map((each) => (
            <Tabs.Panel key={each} value={each} pt="xs">
              <Copyable text={request} label={t('tills:firstRequest')} isBlock onCopy={onTake} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Step>
      {authority !== null && (
        <Step title={t('trustTitle')}>
          <Text>{t('trustDo')}</Text>
          <Copyable text={`${authority.from}/ca.pem`} label={t('certificate')} />
          <Text size="sm" fw={600}>
            {t('fingerprint')}
          </Text>
          <Copyable text={authority.fingerprint} label={t('fingerprint')} />
          <Text size="sm">{t('trustHow', { address: `${address}/trust` })}</Text>
          <Text size="sm">{t('trustWarns')}</Text>
        </Step>
      )}
      {authority === null ? (
        <>
          <Step title={t('addressTitle')}>
            <Text>{t('recordsTo', { url })}</Text>
            {address.startsWith('https:') && <Text c="dimmed">{t('ownCertificate')}</Text>}
          </Step>
          <Step title={t('keyTitle')} />
        </>
      ) : (
        <Step title={t('enterTitle')}>
          <Text>{t('recordsTo', { url })}</Text>
        </Step>
      )}
    </ol>
  );
}

function Step({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <li>
      <Stack gap={4}>
        <Text fw={600}>{title}</Text>
        {children}
      </Stack>
    </li>
  );
}
