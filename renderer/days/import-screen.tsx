// Imports declared totals from a CSV file. The user chooses the file, confirms the meaning of its columns, checks the totals
// and imports them. The gateway imports all lines or none.

import { Anchor, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { FileDown, FileUp } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DeclaredChoice, DeclaredImport, DeclaredImportRequest } from '../../server/contract/declared-totals.ts';
import type { JournalView } from '../../server/contract/setup.ts';
import { useAct } from '../api/act.ts';
import { addressOf, send } from '../api/client.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { FocusedTitle } from '../components/focused-title.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { NoStoreYet } from '../components/no-store-yet.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { csvFormat } from '../model/csv-format.ts';
import { useSelectedJournal, useStoreFormats } from '../model/selected-journal.ts';
import { monthOf } from './calendar.ts';
import { isComplete } from './declared-choice.ts';
import { textOfFile } from './file-text.ts';
import { ImportColumns } from './import-columns.tsx';
import { ImportPreview } from './import-preview.tsx';

export function ImportScreen() {
  const journal = useSelectedJournal();
  return journal === undefined ? <NoStoreYet /> : <Import key={journal.id} journal={journal} />;
}

interface Wanted {
  readonly isTrial: boolean;
  readonly of: string | File;
  /** How to read the file. If it is undefined, the gateway suggests a choice. */
  readonly choice?: DeclaredChoice;
}

function Import({ journal }: { readonly journal: JournalView }) {
  const { t, i18n } = useTranslation('importing');
  const formats = useStoreFormats();
  const [text, setText] = useState('');
  const [choice, setChoice] = useState<DeclaredChoice>();
  const [seen, setSeen] = useState<DeclaredImport>();
  const importing = useAct(async ({ isTrial, of, choice: chosen }: Wanted) => {
    const read = typeof of === 'string' ? of : await textOfFile(of);
    setText(read);
    const wanted = { journal: journal.id, text: read, isTrial, ...(chosen !== undefined && { choice: chosen }) };
    const result = await send<DeclaredImport>('POST', 'declared-totals/import', wanted satisfies DeclaredImportRequest);
    setSeen(result);
    setChoice(chosen ?? { columns: result.columns });
    return result;
  });
  const forget = (): void => {
    setChoice(undefined);
    setSeen(undefined);
    importing.reset();
  };
  const { data, variables } = importing;
  const isDone = data?.faults.length === 0 && variables?.isTrial === false;
  const first = data?.totals[0];
  const isReady = seen !== undefined && choice !== undefined && isComplete(choice.columns) && seen.faults.length === 0;
  const counted = (count: number) => ({ count, n: formats.number(count) });
  const change = (next: DeclaredChoice): void => {
    setChoice(next);
    if (isComplete(next.columns)) importing.mutate({ isTrial: true, of: text, choice: next });
  };

  return (
    <Stack gap="lg" maw={960}>
      <Stack gap={4}>
        <Anchor component={Link} to="/days" size="sm">
          {t('toDays')}
        </Anchor>
        <FocusedTitle order={2} size={24}>
          {t('title')}
        </FocusedTitle>
        <Text>{t('means')}</Text>
      </Stack>
      {isDone ? (
        <Stack role="status" align="flex-start">
          <StateMark tone="fine">{t('done', counted(data.totals.length))}</StateMark>
          <Group gap="xs">
            <LinkButton to="/days" search={first === undefined ? {} : { month: monthOf(first.date) }}>
              {t('toDays')}
            </LinkButton>
            <Button
              variant="default"
              onClick={() => {
                setText('');
                forget();
              }}
            >
              {t('another')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <>
          <Source
            text={text}
            templateHref={addressOf('declared-totals/template', {
              journal: journal.id,
              language: i18n.language,
              format: csvFormat(),
            })}
            isPending={importing.isPending}
            onText={(next) => {
              setText(next);
              forget();
            }}
            onRead={(of) => {
              forget();
              importing.mutate({ isTrial: true, of });
            }}
          />
          {seen !== undefined && choice !== undefined && seen.sample.length > 0 && (
            <ImportColumns seen={seen} choice={choice} onChange={change} />
          )}
          <Stack gap="sm" role="status">
            <ErrorAlert error={importing.error} />
            {seen !== undefined && <ImportPreview seen={seen} />}
          </Stack>
          {isReady && choice !== undefined && (
            <Group>
              <Button
                loading={importing.isPending}
                onClick={() => importing.mutate({ isTrial: false, of: text, choice })}
              >
                {t('do', counted(seen.totals.length))}
              </Button>
              <Text size="sm" c="dimmed" flex={1} miw={240}>
                {t('whole')}
              </Text>
            </Group>
          )}
        </>
      )}
    </Stack>
  );
}

/** The first step: download the template, then choose a file or paste a table. */
function Source({
  text,
  templateHref,
  isPending,
  onText,
  onRead,
}: {
  readonly text: string;
  readonly templateHref: string;
  readonly isPending: boolean;
  readonly onText: (text: string) => void;
  readonly onRead: (of: string | File) => void;
}) {
  const { t } = useTranslation('importing');
  const forgetFile = useRef<() => void>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onRead(text);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group gap="xs">
          <FileButton
            accept=".csv,.txt,text/csv,text/plain"
            onChange={(file) => {
              if (file !== null) onRead(file);
              forgetFile.current?.(); // allows the user to select the same file again
            }}
            resetRef={forgetFile}
          >
            {(props) => (
              <Button {...props} leftSection={<FileUp size={16} aria-hidden />}>
                {t('choose')}
              </Button>
            )}
          </FileButton>
          <Button
            component="a"
            href={templateHref}
            download
            variant="default"
            leftSection={<FileDown size={16} aria-hidden />}
          >
            {t('template')}
          </Button>
        </Group>
        <Textarea
          label={t('orPaste')}
          placeholder={t('example')}
          value={text}
          rows={text === '' ? 3 : 6}
          spellCheck={false}
          onChange={(event) => onText(event.currentTarget.value)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
        />
        <Button
          type="submit"
          variant="default"
          loading={isPending}
          disabled={text.trim() === ''}
          style={{ alignSelf: 'flex-start' }}
        >
          {t('look')}
        </Button>
      </Stack>
    </form>
  );
}
