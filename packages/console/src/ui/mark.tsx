import mark from 'look/mark.svg';

/** The mark that all pages of the server have. */
export function Mark() {
  return <img className="mark" src={mark} alt="" />;
}
