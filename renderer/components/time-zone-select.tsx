// Selects one of all time zones; typing a part of the name filters them.

import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { machineZone } from '../../server/lib/calendar.ts';
import { useNow } from '../lib/use-now.ts';
import { useFormats } from '../locales/format.ts';

/** Maximum zones in the list. */
const MAX_OPTIONS = 50;

export function TimeZoneSelect({
  value,
  onChange,
  label,
  isLabelShown = true,
  error,
  readOnly = false,
}: {
  readonly value: string;
  readonly onChange: (timeZone: string) => void;
  readonly label: string;
  readonly isLabelShown?: boolean;
  readonly error?: string | undefined;
  readonly readOnly?: boolean;
}) {
  const { t } = useTranslation('settings');
  const formats = useFormats(value);
  const now = useNow();
  const names = [...new Set([value, machineZone(), ...Intl.supportedValuesOf('timeZone'), 'UTC'])];
  return (
    <Select
      {...(isLabelShown ? { label } : { 'aria-label': label })}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={t('timeThere', { time: formats.clock(now) })}
      data={names.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))}
      value={value}
      onChange={(name) => name !== null && onChange(name)}
      searchable
      limit={MAX_OPTIONS}
      allowDeselect={false}
      nothingFoundMessage={t('noSuchZone')}
      error={error}
      readOnly={readOnly}
    />
  );
}
