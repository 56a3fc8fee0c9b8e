"""Numbers of system calls, as in the headers of Linux (asm/unistd_64.h, asm-generic/unistd.h).

Only those below 424: from there on they are the same everywhere and all refused (confinement.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

CALL = re.compile(r"^ {4}(?!#)(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Architecture:
    """`audit`: AUDIT_ARCH_… of linux/audit.h. `refused`: name → number."""

    audit: int
    clone: int
    open: int | None  # arm64 has openat only
    openat: int
    refused: dict[str, int]


def numbers(table: str) -> dict[str, int]:
    entries = (entry.split("=") for line in CALL.findall(table) for entry in line.split())
    return {name: int(number) for name, number in entries}


X86_64 = Architecture(
    audit=0xC000003E,
    clone=56,
    open=2,
    openat=257,
    refused=numbers("""
    # the network
    socket=41 connect=42 accept=43 accept4=288 sendto=44 recvfrom=45 sendmsg=46 recvmsg=47
    sendmmsg=307 recvmmsg=299 shutdown=48 bind=49 listen=50 getsockname=51 getpeername=52
    socketpair=53 setsockopt=54 getsockopt=55
    # other processes
    fork=57 vfork=58 execve=59 execveat=322 kill=62 tkill=200 tgkill=234 rt_sigqueueinfo=129
    rt_tgsigqueueinfo=297 ptrace=101 process_vm_readv=310 process_vm_writev=311 kcmp=312
    # names of files
    rename=82 renameat=264 renameat2=316 mkdir=83 mkdirat=258 rmdir=84 creat=85 link=86
    linkat=265 unlink=87 unlinkat=263 symlink=88 symlinkat=266 mknod=133 mknodat=259 truncate=76
    ftruncate=77
    # properties of files
    chmod=90 fchmod=91 fchmodat=268 chown=92 fchown=93 lchown=94 fchownat=260 utime=132
    utimes=235 futimesat=261 utimensat=280 setxattr=188 lsetxattr=189 fsetxattr=190
    removexattr=197 lremovexattr=198 fremovexattr=199
    # who it is and what it may use
    setuid=105 setgid=106 setreuid=113 setregid=114 setresuid=117 setresgid=119 setfsuid=122
    setfsgid=123 setgroups=116 capset=126 setrlimit=160 prlimit64=302 setpriority=141
    sched_setparam=142 sched_setscheduler=144 sched_setaffinity=203
    # the system
    mount=165 umount2=166 pivot_root=155 chroot=161 swapon=167 swapoff=168 acct=163 quotactl=179
    unshare=272 setns=308 name_to_handle_at=303 open_by_handle_at=304 init_module=175
    finit_module=313 delete_module=176 kexec_load=246 kexec_file_load=320 reboot=169
    sethostname=170 setdomainname=171 settimeofday=164 iopl=172 ioperm=173 modify_ldt=154
    add_key=248 request_key=249 keyctl=250 bpf=321 perf_event_open=298 userfaultfd=323
    # memory and queues shared with others
    shmget=29 shmat=30 shmctl=31 semget=64 semop=65 semctl=66 semtimedop=220 msgget=68 msgsnd=69
    msgrcv=70 msgctl=71 mq_open=240 mq_unlink=241
"""),
)

AARCH64 = Architecture(
    audit=0xC00000B7,
    clone=220,
    open=None,
    openat=56,
    refused=numbers("""
    # the network
    socket=198 connect=203 accept=202 accept4=242 sendto=206 recvfrom=207 sendmsg=211
    recvmsg=212 sendmmsg=269 recvmmsg=243 shutdown=210 bind=200 listen=201 getsockname=204
    getpeername=205 socketpair=199 setsockopt=208 getsockopt=209
    # other processes
    execve=221 execveat=281 kill=129 tkill=130 tgkill=131 rt_sigqueueinfo=138
    rt_tgsigqueueinfo=240 ptrace=117 process_vm_readv=270 process_vm_writev=271 kcmp=272
    # names of files
    renameat=38 renameat2=276 mkdirat=34 linkat=37 unlinkat=35 symlinkat=36 mknodat=33
    truncate=45 ftruncate=46
    # properties of files
    fchmod=52 fchmodat=53 fchown=55 fchownat=54 utimensat=88 setxattr=5 lsetxattr=6 fsetxattr=7
    removexattr=14 lremovexattr=15 fremovexattr=16
    # who it is and what it may use
    setuid=146 setgid=144 setreuid=145 setregid=143 setresuid=147 setresgid=149 setfsuid=151
    setfsgid=152 setgroups=159 capset=91 setrlimit=164 prlimit64=261 setpriority=140
    sched_setparam=118 sched_setscheduler=119 sched_setaffinity=122
    # the system
    mount=40 umount2=39 pivot_root=41 chroot=51 swapon=224 swapoff=225 acct=89 quotactl=60
    unshare=97 setns=268 name_to_handle_at=264 open_by_handle_at=265 init_module=105
    finit_module=273 delete_module=106 kexec_load=104 kexec_file_load=294 reboot=142
    sethostname=161 setdomainname=162 settimeofday=170 add_key=217 request_key=218 keyctl=219
    bpf=280 perf_event_open=241 userfaultfd=282
    # memory and queues shared with others
    shmget=194 shmat=196 shmctl=195 semget=190 semop=193 semctl=191 semtimedop=192 msgget=186
    msgsnd=189 msgrcv=188 msgctl=187 mq_open=180 mq_unlink=181
"""),
)

ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}  # as platform.machine() names them
