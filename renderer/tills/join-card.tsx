// The join card of a key on the screen: address, key, QR code and three steps, with a button that prints it.

import { Alert, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { journalsQuery } from '../api/queries.ts';
import { Copyable } from '../components/copyable.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { WaitingForSale } from '../components/waiting-for-sale.tsx';
import { keepStored, readStored } from '../lib/browser-storage.ts';
import { qrText } from './join-place.ts';
import { joinRequest } from './join-request.ts';
import { JoinSteps } from './join-steps.tsx';
import type { Joining } from './joining.ts';
import { KeyCard, PAPERS, type Paper } from './key-card.tsx';
import { QrImage } from './qr-image.tsx';
import { type Language, LANGUAGES } from './request-writers.ts';

import classes from './join-card.module.css';

const LANGUAGE = 'counterfoil.requestLanguage';
const PAPER = 'counterfoil.cardPaper';

export function JoinCard({
  joining,
  isWaiting,
  children,
  onTake = () => {},
  onLeave = () => true,
}: {
  readonly joining: Joining;
  /** Whether to wait for the first sale. */
  readonly isWaiting: boolean;
  /** More buttons, after the button that prints. */
  readonly children: ReactNode;
  /** Called when the key was copied or printed. */
  readonly onTake?: () => void;
  /** Called before a link leaves the card. False keeps the user here. */
  readonly onLeave?: () => boolean;
}) {
  const { t } = useTranslation(['join', 'tills']);
  const { administration, mode, till, key, secret, place } = joining;
  const [language, setLanguage] = useState<Language>(() => stored(LANGUAGE, LANGUAGES));
  const [paper, setPaper] = useState<Paper>(() => stored(PAPER, PAPERS));
  const { data: journals } = useQuery(journalsQuery);
  const journalId = journals?.find((each) => each.administration === administration && each.mode === mode)?.id;
  const request = joinRequest(language, { ...joining, ...place });
  const qr = qrText(place, key.interface, secret);
  return (
    <Stack>
      <div className={classes.top}>
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
      </div>
      {place.isLocalOnly && <OnlyHere onLeave={onLeave} />}
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
      {isWaiting && (
        <WaitingForSale
          journalId={journalId}
          till={till}
          joining={{ keyId: key.id, createdAt: key.createdAt }}
          address={place.address}
        />
      )}
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
      <KeyCard joining={joining} paper={paper} language={language} request={request} qr={qr} />
    </Stack>
  );
}

/** Says that other machines cannot connect yet, with a link to the screen that opens the network. */
function OnlyHere({ onLeave }: { readonly onLeave: () => boolean }) {
  const { t } = useTranslation('join');
  return (
    <Alert color="yellow" p="sm">
      <Group gap="xs" justify="space-between">
        {t('onlyHere')}
        <LinkButton
          to="/network"
          variant="default"
          size="xs"
          onClick={(event) => {
            if (!onLeave()) event.preventDefault();
          }}
        >
          {t('openNetwork')}
        </LinkButton>
      </Group>
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

/** The stored choice, or the first one. */
function stored<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
  const found = readStored(name);
  return choices.find((each) => each === found) ?? choices[0];
}
