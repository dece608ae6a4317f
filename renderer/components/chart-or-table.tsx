// A chart with a heading. For people who cannot see the chart, a button shows the same numbers as a table. The chart itself
// never gets the keyboard focus.

import '@mantine/charts/styles.layer.css';
import { Button, Group, Stack, Table, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useStoreFormats } from '../model/selected-journal.ts';

interface ChartOrTableProps {
  readonly title: string;
  /** The headings of the name column and of the number columns. */
  readonly headings: readonly [string, ...string[]];
  /** `exact` is the tooltip of the name. */
  readonly rows: readonly {
    readonly name: string;
    readonly exact?: string;
    readonly numbers: readonly (number | null)[];
  }[];
  /** Whether the children contain text for screen readers. */
  readonly isText?: boolean;
  readonly children: ReactNode;
}

export function ChartOrTable({
  title,
  headings: [first, ...others],
  rows,
  isText = false,
  children,
}: ChartOrTableProps) {
  const { t } = useTranslation('app');
  const formats = useStoreFormats();
  const [isTable, setTable] = useState(false);
  const numberText = (value: number | null | undefined): string => (value == null ? '–' : formats.number(value));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {title}
        </Title>
        <Button variant="subtle" size="compact-sm" className="no-print" onClick={() => setTable(!isTable)}>
          {t(isTable ? 'asChart' : 'asTable')}
        </Button>
      </Group>
      {!isTable && isText && children}
      {!isTable && !isText && (
        <div role="img" aria-label={title}>
          {children}
        </div>
      )}
      {isTable && (
        <Table.ScrollContainer minWidth={300} mah={320}>
          <Table striped>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{first}</Table.Th>
                {others.map((heading) => (
                  <Table.Th key={heading} ta="right">
                    {heading}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ name, exact, numbers }) => (
                <Table.Tr key={exact ?? name}>
                  <Table.Td title={exact}>{name}</Table.Td>
                  {others.map((heading, column) => (
                    <Table.Td key={heading} ta="right">
                      {numberText(numbers[column])}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Stack>
  );
}
