// A text of the docs: what stands between backticks is code.
import { shown } from '../base/text.ts';

export const Words = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{shown(part)}</code> : shown(part)))}</>
);
