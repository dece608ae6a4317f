// Downloads a table as a CSV file.

import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';

export function ExportButton({
  href,
  hint,
}: {
  readonly href: string;
  /** The tooltip, which says what the file contains. */ readonly hint: string;
}) {
  const { t } = useTranslation('days');
  return (
    <Button
      component="a"
      href={href}
      download
      variant="subtle"
      leftSection={<Download size={16} aria-hidden />}
      title={hint}
    >
      {t('export')}
    </Button>
  );
}
