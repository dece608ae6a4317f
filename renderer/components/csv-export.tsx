// A button that downloads a table as a CSV file. The menu beside it offers other files and the CSV format.

import { Button, type ButtonProps, Menu, Text } from '@mantine/core';
import { Check, ChevronDown, Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { CSV_FORMATS } from '../../server/contract/exports.ts';
import { addressOf, type Parameters } from '../api/client.ts';
import { locale } from '../locales/words.ts';
import { chooseCsvFormat, chosenCsvFormat, csvFormat, formatOfLocale } from '../model/csv-format.ts';

/** A file to download. */
export interface CsvFile {
  readonly path: string;
  readonly parameters: Parameters;
  readonly name: string;
  /** What the file contains. */
  readonly hint?: string;
}

export function CsvExport({
  file,
  others = [],
  ...look
}: {
  readonly file: CsvFile;
  /** Other files that the menu offers. */
  readonly others?: readonly CsvFile[];
} & Pick<ButtonProps, 'ml'>) {
  const { t } = useTranslation('export');
  const [chosen, setChosen] = useState(chosenCsvFormat);
  const formats = [undefined, ...CSV_FORMATS];
  const hrefOf = ({ path, parameters }: CsvFile): string => addressOf(path, { ...parameters, format: csvFormat() });
  return (
    <Button.Group className="no-print" {...look}>
      <Button
        component="a"
        href={hrefOf(file)}
        download
        variant="subtle"
        size="sm"
        px="xs"
        title={file.hint}
        aria-label={file.name}
      >
        <Download size={16} aria-hidden />
        <Text component="span" inherit ml={8} visibleFrom="xs">
          {file.name}
        </Text>
      </Button>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <Button variant="subtle" size="sm" px={6} aria-label={t('more')} title={t('more')}>
            <ChevronDown size={16} aria-hidden />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map((other) => (
            <Menu.Item
              key={other.name}
              component="a"
              href={hrefOf(other)}
              download
              title={other.hint}
              leftSection={<Download size={16} aria-hidden />}
            >
              {other.name}
            </Menu.Item>
          ))}
          <Menu.Label>{t('format')}</Menu.Label>
          {formats.map((format) => (
            <Menu.Item
              key={format ?? 'language'}
              role="menuitemradio"
              aria-checked={format === chosen}
              closeMenuOnClick={false}
              leftSection={<Check size={16} aria-hidden opacity={format === chosen ? 1 : 0} />}
              onClick={() => {
                chooseCsvFormat(format);
                setChosen(format);
              }}
            >
              {format === undefined ? t('ofLanguage', { example: t(formatOfLocale(locale)) }) : t(format)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}
