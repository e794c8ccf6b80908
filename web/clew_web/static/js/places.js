/* Words for where a text stands in its original. */

export function placeWords(pages, headings) {
  const known = pages.filter((page) => page > 0);
  const heading = headings.find((one) => one);
  const words = [];
  if (known.length > 0) {
    const [first, last] = [Math.min(...known), Math.max(...known)];
    words.push(first === last ? `page ${first}` : `pages ${first}–${last}`);
  }
  if (heading) {
    words.push(`under “${heading}”`);
  }
  return words.join(", ");
}
