/* Keeps a copy of each file in POWER_FOLDER as of its last sync. The copies are in POWER_COPIES, with "%" for "/". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* False if the path is not in the folder. */
static int copy_name(const char* path, char* name) {
  const char *folder = getenv("POWER_FOLDER"), *copies = getenv("POWER_COPIES");
  if (!folder || !copies || strncmp(path, folder, strlen(folder)) != 0 || path[strlen(folder)] != '/') return 0;
  int length = snprintf(name, PATH_MAX, "%s/", copies);
  snprintf(name + length, PATH_MAX - length, "%s", path + strlen(folder) + 1);
  for (char* c = name + length; *c; ++c)
    if (*c == '/') *c = '%';
  return 1;
}

static void keep(int fd) {
  char link[64], path[PATH_MAX], name[PATH_MAX], part[PATH_MAX + 8];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  struct stat file;
  if (length <= 0 || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return;
  path[length] = 0;
  if (!copy_name(path, name)) return;
  snprintf(part, sizeof part, "%s.part", name);
  const int from = open(link, O_RDONLY | O_CLOEXEC), to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (off_t left = file.st_size; left > 0;) {
    const ssize_t sent = sendfile(to, from, NULL, left);
    if (sent <= 0) abort();
    left -= sent;
  }
  close(from);
  close(to);
  syscall(SYS_rename, part, name);
}

int fsync(int fd) {
  const int result = syscall(SYS_fsync, fd);
  if (result == 0) keep(fd);
  return result;
}

int fdatasync(int fd) {
  const int result = syscall(SYS_fdatasync, fd);
  if (result == 0) keep(fd);
  return result;
}

int rename(const char* from, const char* to) {
  char old_name[PATH_MAX], new_name[PATH_MAX];
  const int result = syscall(SYS_rename, from, to);
  if (result == 0 && copy_name(from, old_name) && copy_name(to, new_name) && syscall(SYS_rename, old_name, new_name) != 0)
    syscall(SYS_unlink, new_name);
  return result;
}

int unlink(const char* path) {
  char name[PATH_MAX];
  const int result = syscall(SYS_unlink, path);
  if (result == 0 && copy_name(path, name)) syscall(SYS_unlink, name);
  return result;
}
