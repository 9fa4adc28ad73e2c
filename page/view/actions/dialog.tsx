// A dialog of the browser's own: it keeps the focus, Escape closes it, and the focus goes back to where it was.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current!;
    element.showModal();
    return () => {
      element.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      class="ask"
      ref={dialog}
      aria-labelledby={name}
      onCancel={(event) => {
        // The component goes, and the dialog with it.
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={name}>{title}</h2>
      {children}
    </dialog>
  );
};
