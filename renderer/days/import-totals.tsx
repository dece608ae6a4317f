// Imports declared totals from a CSV file. First a preview shows how the gateway reads it; then all lines are imported or
// none.

import { Button, FileButton, Group, Modal, Stack, Table, Text, Textarea } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { DeclaredImport, DeclaredImportRequest } from '../../server/contract/declared-totals.ts';
import { useAct } from '../api/act.ts';
import { send } from '../api/client.ts';
import { ErrorAlert } from '../components/error-alert.tsx';
import { StateMark } from '../components/state-mark.tsx';
import { useStoreFormats } from '../model/selected-journal.ts';
import { textOfFile } from './file-text.ts';

/** Maximum faulty lines in the list of faults, and maximum totals in the preview. */
const MAX_PREVIEW_LINES = 20;
const COLUMNS = ['day', 'count', 'id', 'type', 'till'] as const;

export function ImportTotals({ journalId, onClose }: { readonly journalId: number; readonly onClose: () => void }) {
  const { t } = useTranslation(['importing', 'app']);
  const formats = useStoreFormats();
  const [text, setText] = useState('');
  const forgetFile = useRef<() => void>(null);
  const importing = useAct(async ({ isTrial, of }: { isTrial: boolean; of: string | File }) => {
    const read = typeof of === 'string' ? of : await textOfFile(of);
    setText(read);
    const wanted = { journal: journalId, text: read, isTrial } satisfies DeclaredImportRequest;
    return { ...(await send<DeclaredImport>('POST', 'declared-totals/import', wanted)), of: read };
  });
  const { data, variables } = importing;
  const isDone = data?.faults.length === 0 && variables?.isTrial === false;
  const seen = data !== undefined && !isDone && data.of === text ? data : undefined;
  const change = (next: string): void => {
    setText(next);
    importing.reset();
  };
  const look = (of: string | File): void => importing.mutate({ isTrial: true, of });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (seen !== undefined && seen.faults.length === 0) importing.mutate({ isTrial: false, of: text });
    else look(text);
  };
  const counted = (all: readonly unknown[]) => ({ count: all.length, n: formats.number(all.length) });

  return (
    <Modal opened onClose={onClose} size="lg" title={t('title')} closeButtonProps={{ 'aria-label': t('app:close') }}>
      {isDone ? (
        <Stack role="status">
          <StateMark tone="fine">{t('done', counted(data.totals))}</StateMark>
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              {t('app:close')}
            </Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>{t('means')}</Text>
            <FileButton
              accept=".csv,.txt,text/csv,text/plain"
              onChange={(file) => {
                if (file === null) return;
                change('');
                look(file);
                forgetFile.current?.(); // the same file can be selected again
              }}
              resetRef={forgetFile}
            >
              {(props) => (
                <Button
                  {...props}
                  variant="default"
                  leftSection={<FileUp size={16} aria-hidden />}
                  style={{ alignSelf: 'flex-start' }}
                >
                  {t('choose')}
                </Button>
              )}
            </FileButton>
            <Textarea
              label={t('orPaste')}
              placeholder={t('example')}
              value={text}
              rows={6}
              spellCheck={false}
              onChange={(event) => change(event.currentTarget.value)}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            />
            <Stack gap="sm" role="status">
              <ErrorAlert error={importing.error} />
              {seen !== undefined && <Understood seen={seen} />}
            </Stack>
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {t('app:cancel')}
              </Button>
              <Button type="submit" loading={importing.isPending} disabled={text.trim() === ''}>
                {seen === undefined || seen.faults.length > 0 ? t('look') : t('do', counted(seen.totals))}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Modal>
  );
}

function Understood({ seen: { columns, totals, faults } }: { readonly seen: DeclaredImport }) {
  const { t } = useTranslation('importing');
  const { t: faultWords } = useTranslation('declaredFault');
  const formats = useStoreFormats();
  const counted = (count: number) => ({ count, n: formats.number(count) });
  const faulty = new Set(faults.map(({ line }) => line));
  const found = COLUMNS.filter((column) => columns[column] !== null);
  return (
    <>
      {faults.length > 0 ? (
        <div>
          <StateMark tone="bad">{t('faults', counted(faulty.size))}</StateMark>
          <ul>
            {faults.slice(0, MAX_PREVIEW_LINES).map(({ line, code, value }) => (
              <li key={`${line} ${code} ${value}`} style={{ overflowWrap: 'anywhere' }}>
                {t('line', { line: formats.number(line), what: faultWords(code, { value }) })}
              </li>
            ))}
          </ul>
          {faults.length > MAX_PREVIEW_LINES && <Text>{t('more', counted(faults.length - MAX_PREVIEW_LINES))}</Text>}
        </div>
      ) : (
        <Text>{t('whole')}</Text>
      )}
      {found.length > 0 && (
        <div>
          <Text fw={600}>{t('understood')}</Text>
          {found.map((column) => (
            <Text key={column} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {t('column', { what: t(column), name: columns[column] ?? '' })}
            </Text>
          ))}
        </div>
      )}
      {totals.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('day')}</Table.Th>
              <Table.Th>{t('type')}</Table.Th>
              <Table.Th>{t('till')}</Table.Th>
              <Table.Th ta="right">{t('count')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {totals.slice(0, MAX_PREVIEW_LINES).map(({ date, type, till, records, hasIds }) => (
              <Table.Tr key={`${date} ${type} ${till}`}>
                <Table.Td>{formats.date(date)}</Table.Td>
                <Table.Td>{type ?? t('all')}</Table.Td>
                <Table.Td>{till ?? t('all')}</Table.Td>
                <Table.Td ta="right">
                  {formats.number(records)}
                  {hasIds && ` (${t('withIds')})`}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {totals.length > MAX_PREVIEW_LINES && <Text>{t('more', counted(totals.length - MAX_PREVIEW_LINES))}</Text>}
    </>
  );
}
