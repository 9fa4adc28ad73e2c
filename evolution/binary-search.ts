/**
 * The first index below `length` for which `hasReached` holds, given that it holds for all after it too; else `length`.
 */
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
