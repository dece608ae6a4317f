// The first start finds the tills' port taken: a window says so, and its button starts the gateway once the port is free.
// Needs the usual ports: settings.json of the data directory must name no other.

const { createServer } = require('node:net');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

module.exports = async ({ electron: { app, BrowserWindow, nativeTheme }, log, sleep, out }) => {
  const other = createServer().listen(7410, '127.0.0.1');
  await sleep(4000);
  const [window] = BrowserWindow.getAllWindows();
  log('windows', BrowserWindow.getAllWindows().length, 'visible', window?.isVisible() ?? false);
  if (window === undefined) return app.exit(1);
  const picture = async (name) => writeFileSync(join(out, name), (await window.webContents.capturePage()).toPNG());
  const text = () => window.webContents.executeJavaScript('document.body.innerText');
  log('page says', await text());
  await picture('port-taken.png');
  nativeTheme.themeSource = 'dark';
  await sleep(300);
  await picture('port-taken-dark.png');
  window.setContentSize(400, 800);
  await sleep(300);
  await picture('port-taken-narrow.png');
  log(
    'calls of the app',
    await window.webContents.executeJavaScript('desktop.getView().then(() => "answered", (e) => e.message)'),
  );
  other.close();
  const press = (name) =>
    window.webContents.executeJavaScript(
      `[...document.querySelectorAll('button')].find((b) => b.form.action.startsWith('counterfoil:${name}')).click()`,
      true,
    );
  await press('try-again');
  await sleep(5000);
  log('after Try again', new URL(window.webContents.getURL()).pathname);
  app.exit(0);
};
