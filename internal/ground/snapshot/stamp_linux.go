package snapshot

import "syscall"

func stampFrom(s *syscall.Stat_t) Stamp {
	return Stamp{
		Device: uint64(s.Dev), Inode: s.Ino, Size: uint64(s.Size),
		Modified: s.Mtim.Nano(), Changed: s.Ctim.Nano(),
	}
}
