// A search field that filters a screen while the user types.

import { TextInput } from '@mantine/core';
import { Search } from 'lucide-react';

interface FindFieldProps {
  readonly label: string;
  readonly example: string;
  readonly value: string;
  readonly onChange: (wanted: string) => void;
}

export function FilterField({ label, example, value, onChange }: FindFieldProps) {
  return (
    <TextInput
      label={label}
      placeholder={example}
      type="search"
      leftSection={<Search size={16} aria-hidden />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      maw={420}
    />
  );
}
