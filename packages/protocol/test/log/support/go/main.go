// Answers questions about a log with the Go project's own packages, which are a second implementation of the formats.
// Each line of standard input is a question, each line of standard output its answer, both JSON.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A question; which members it has depends on Ask.
type question struct {
	Ask     string
	Entries [][]byte
	Vkeys   []string
	Note    string
	Size    int64
	Old     int64
	Index   int64
	Level   int
	Width   int
	Leaf    []byte
	Root    []byte
	OldRoot []byte
	Proof   [][]byte
	Tiles   map[string][]byte
}

// An answer: whether it holds, and what Go says itself.
type answer struct {
	OK     bool
	Error  string   `json:",omitempty"`
	Text   string   `json:",omitempty"`
	Names  []string `json:",omitempty"`
	Hashes [][]byte `json:",omitempty"`
}

// The log as Go keeps it: all hashes in its own order.
type stored []tlog.Hash

func (s stored) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= int64(len(s)) {
			return nil, errors.New("no such hash")
		}
		hashes[i] = s[index]
	}
	return hashes, nil
}

var (
	hashes stored
	count  int64
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			fail(err)
		}
		a, err := reply(q)
		a.OK = err == nil
		if err != nil {
			a.Error = err.Error()
		}
		if err := out.Encode(a); err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func reply(q question) (answer, error) {
	switch q.Ask {
	case "append":
		return answer{}, appendEntries(q.Entries)
	case "root":
		root, err := tlog.TreeHash(q.Size, hashes)
		return answer{Hashes: [][]byte{root[:]}}, err
	case "inclusion":
		return inclusion(q)
	case "consistency":
		return consistency(q)
	case "tile":
		data, err := tlog.ReadTileData(tlog.Tile{H: 8, L: q.Level, N: q.Index, W: q.Width}, hashes)
		return answer{Hashes: [][]byte{data}}, err
	case "tiles":
		return answer{}, checkTiles(q)
	case "new tiles":
		var paths []string
		for _, tile := range tlog.NewTiles(8, q.Old, q.Size) {
			paths = append(paths, strings.TrimPrefix(tile.Path(), "tile/8/"))
		}
		return answer{Names: paths}, nil
	case "note":
		return open(q)
	}
	return answer{}, fmt.Errorf("unknown question %q", q.Ask)
}

func appendEntries(entries [][]byte) error {
	for _, entry := range entries {
		more, err := tlog.StoredHashes(count, entry, hashes)
		if err != nil {
			return err
		}
		hashes = append(hashes, more...)
		count++
	}
	return nil
}

// A log whose entries were not told is checked, and nothing more.
func inclusion(q question) (answer, error) {
	if count == 0 {
		return answer{}, tlog.CheckRecord(hashesOf(q.Proof), q.Size, hashOf(q.Root), q.Index, hashOf(q.Leaf))
	}
	own, err := tlog.ProveRecord(q.Size, q.Index, hashes)
	if err != nil {
		return answer{}, err
	}
	return answer{Hashes: bytesOf(own)}, tlog.CheckRecord(hashesOf(q.Proof), q.Size, hashOf(q.Root), q.Index, hashOf(q.Leaf))
}

func consistency(q question) (answer, error) {
	own, err := tlog.ProveTree(q.Size, q.Old, hashes)
	if err != nil {
		return answer{}, err
	}
	return answer{Hashes: bytesOf(own)}, tlog.CheckTree(hashesOf(q.Proof), q.Size, hashOf(q.Root), q.Old, hashOf(q.OldRoot))
}

// Tiles by their paths, from which Go reads hashes; it checks them against the root.
type tileReader map[string][]byte

func (r tileReader) Height() int { return 8 }

func (r tileReader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		hashes, ok := r[strings.TrimPrefix(tile.Path(), "tile/8/")]
		if !ok {
			return nil, fmt.Errorf("no tile %s", tile.Path())
		}
		data = append(data, hashes)
	}
	return data, nil
}

func (r tileReader) SaveTiles([]tlog.Tile, [][]byte) {}

// Go proves the inclusion of a leaf from our tiles alone.
func checkTiles(q question) error {
	tree := tlog.Tree{N: q.Size, Hash: hashOf(q.Root)}
	proof, err := tlog.ProveRecord(q.Size, q.Index, tlog.TileHashReader(tree, tileReader(q.Tiles)))
	if err != nil {
		return err
	}
	return tlog.CheckRecord(proof, q.Size, tree.Hash, q.Index, hashOf(q.Leaf))
}

func open(q question) (answer, error) {
	var known []note.Verifier
	for _, vkey := range q.Vkeys {
		verifier, err := note.NewVerifier(vkey)
		if err != nil && strings.Contains(err.Error(), "algorithm") {
			verifier, err = newCosigner(vkey)
		}
		if err != nil {
			return answer{}, err
		}
		known = append(known, verifier)
	}
	opened, err := note.Open([]byte(q.Note), note.VerifierList(known...))
	if err != nil {
		return answer{}, err
	}
	a := answer{Text: opened.Text}
	for _, signature := range opened.Sigs {
		a.Names = append(a.Names, signature.Name)
	}
	return a, nil
}

// A cosigner verifies timestamped signatures of C2SP tlog-cosignature, which x/mod leaves to others.
type cosigner struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func newCosigner(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != 4 {
		return nil, errors.New("no key of a cosigner")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	id := binary.BigEndian.Uint32(sum[:4])
	if parts[1] != fmt.Sprintf("%08x", id) {
		return nil, errors.New("the key of a cosigner has another id")
	}
	return cosigner{parts[0], id, key[1:]}, nil
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.id }

func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	var said bytes.Buffer
	fmt.Fprintf(&said, "cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(c.key, said.Bytes(), sig[8:])
}

func hashOf(b []byte) (hash tlog.Hash) {
	copy(hash[:], b)
	return hash
}

func hashesOf(list [][]byte) []tlog.Hash {
	var hashes []tlog.Hash
	for _, b := range list {
		hashes = append(hashes, hashOf(b))
	}
	return hashes
}

func bytesOf(list []tlog.Hash) [][]byte {
	var all [][]byte
	for i := range list {
		all = append(all, list[i][:])
	}
	return all
}
