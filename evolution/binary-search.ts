/** The first index for which `hasReached` holds, where it then holds for all later ones; else `length`. */
export const firstIndex = (length: number, hasReached: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (hasReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};
