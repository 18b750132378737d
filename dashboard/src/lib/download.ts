/** Saves a file under a name through the browser's download. */
export function download(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has started saving the file by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
