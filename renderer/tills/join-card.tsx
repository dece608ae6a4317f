// The join card of a key on the screen: address, key, QR code and three steps, with a button that prints it. The card of a new key
// also waits for the first sale.

import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNetworkChange } from '../api/act.ts';
import { journalsQuery, networkQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { NetworkProblemAlert } from '../components/network-problems.tsx';
import { NetworkSentence } from '../components/network-sentence.tsx';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { findNotListening, fixedBySetting } from '../model/network-state.ts';
import { qrText } from './join-place.ts';
import { JoinSteps } from './join-steps.tsx';
import type { Joining } from './joining.ts';
import { KeyCard, PAPERS, type Paper } from './key-card.tsx';
import { QrImage } from './qr-image.tsx';
import { joinRequest, type Language, LANGUAGES } from './request-writers.ts';
import { WaitingForSale } from './waiting-for-sale.tsx';

import classes from './join-card.module.css';

const LANGUAGE = 'counterfoil.requestLanguage';
const PAPER = 'counterfoil.cardPaper';

export function JoinCard({
  joining,
  note,
  children,
  onTake = () => {},
}: {
  readonly joining: Joining;
  /** A note that stays visible above the buttons. */
  readonly note?: ReactNode;
  /** More buttons, after the button that prints. */
  readonly children: ReactNode;
  /** Called when the key was copied, printed or used. */
  readonly onTake?: () => void;
}) {
  const { t } = useTranslation(['join', 'tills']);
  const { administration, mode, key, secret, place } = joining;
  const [language, setLanguage] = useState<Language>(() => stored(LANGUAGE, LANGUAGES));
  const [paper, setPaper] = useState<Paper>(() => stored(PAPER, PAPERS));
  const { data: journals } = useQuery(journalsQuery);
  const journalId = journals?.find((each) => each.administration === administration && each.mode === mode)?.id;
  const request = joinRequest(language, { ...joining, ...place });
  const qr = qrText(place, key.interface, secret);
  return (
    <Stack className={classes.card}>
      <div className={classes.parts}>
        <Stack gap="sm">
          <Field label={t('tills:address')}>
            <Copyable text={place.address} label={t('tills:address')} />
          </Field>
          <Field label={t('tills:key')}>
            {secret === null ? (
              <Text>{t('withoutKey')}</Text>
            ) : (
              <Copyable text={secret} label={t('tills:key')} onCopy={onTake} />
            )}
          </Field>
        </Stack>
        <QrImage text={qr} label={t(secret === null ? 'qrWithoutKey' : 'qr')} className={classes.qr} />
        <Stack className={classes.rest}>
          {place.isLocalOnly && <OnlyHere />}
          <JoinSteps
            joining={joining}
            request={request}
            language={language}
            onLanguage={(wanted) => {
              setLanguage(wanted);
              keepStored(LANGUAGE, wanted);
            }}
            onTake={onTake}
          />
        </Stack>
      </div>
      <div className={classes.foot}>
        {secret !== null && <WaitingForSale journalId={journalId} joining={joining} onUsed={onTake} />}
        {note}
        <Group justify="flex-end" gap="xs">
          <SegmentedControl
            aria-label={t('paper')}
            value={paper}
            data={PAPERS.map((each) => ({ value: each, label: t(`paper_${each}`) }))}
            onChange={(wanted) => {
              setPaper(wanted);
              keepStored(PAPER, wanted);
            }}
          />
          <Button
            variant="default"
            leftSection={<Printer size={16} aria-hidden />}
            onClick={() => {
              onTake();
              window.print();
            }}
          >
            {t('tills:printCard')}
          </Button>
          {children}
        </Group>
      </div>
      <KeyCard joining={joining} paper={paper} language={language} request={request} qr={qr} />
    </Stack>
  );
}

/**
 * Says why other machines cannot connect yet, and opens the network on a click. A link to another page would lose a key that is
 * not copied yet.
 */
function OnlyHere() {
  const { t } = useTranslation('join');
  const { data: network } = useQuery(networkQuery);
  const open = useNetworkChange();
  const problem = open.data && findNotListening(open.data);
  const isOpen = network?.settings.isOpen === true;
  const canOpen = network !== undefined && !isOpen && fixedBySetting(network, 'isOpen') === undefined;
  return (
    <Alert color="yellow" p="sm">
      <Group gap="xs" justify="space-between">
        {t('onlyHere')}
        {canOpen && (
          <Button variant="default" size="xs" loading={open.isPending} onClick={() => open.mutate({ isOpen: true })}>
            {t('openNetwork')}
          </Button>
        )}
      </Group>
      {isOpen && <NetworkSentence view={network} />}
      <ErrorAlert error={open.error} />
      {problem !== undefined && <NetworkProblemAlert problems={[problem]} />}
    </Alert>
  );
}

function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={600} mb={2}>
        {label}
      </Text>
      {children}
    </div>
  );
}

/** The stored choice, or the first choice if none is stored. */
function stored<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
  const found = readStored(name);
  return choices.find((each) => each === found) ?? choices[0];
}
