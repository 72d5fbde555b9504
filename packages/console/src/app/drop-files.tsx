import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { giveFiles } from '../check/given.js';
import { checkText } from '../text/check.js';

/** Takes files that are dropped onto any page, and leads to where they are checked. */
export function DropFiles() {
  const navigate = useNavigate();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      setOver(false);
      giveFiles(files);
      void navigate({ to: '/check' });
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [navigate]);
  return isOver ? <div className="drop-here">{checkText.drop}</div> : null;
}
