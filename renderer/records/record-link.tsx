// A link to a record that opens over the same list.

import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function RecordLink({
  recordId,
  title,
  children,
}: {
  readonly recordId: number;
  readonly title?: string;
  readonly children: string;
}) {
  return (
    <Anchor
      size="sm"
      title={title}
      renderRoot={(props) => (
        <Link {...props} to="/records/$recordId" params={{ recordId: String(recordId) }} search={(before) => before} />
      )}
    >
      {children}
    </Anchor>
  );
}
