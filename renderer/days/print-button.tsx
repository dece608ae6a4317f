// Prints what the screen shows, as a sheet. A phone has no room for the button.

import { Button } from '@mantine/core';
import { Printer } from 'lucide-react';

export function PrintButton({ children }: { readonly children: string }) {
  return (
    <Button
      variant="subtle"
      leftSection={<Printer size={16} aria-hidden />}
      onClick={() => window.print()}
      visibleFrom="xs"
    >
      {children}
    </Button>
  );
}
