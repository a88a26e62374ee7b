// Files that are there: read natively and explored, the same.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  FILE *file = fopen("Cargo.toml", "r");
  if (!file)
    return 1;
  char line[200], word[50];
  int lines = 0;
  while (lines < 3 && fgets(line, sizeof line, file))
    printf("%d %s", ++lines, line);
  printf("%ld", ftell(file));
  int c = fgetc(file);
  printf(" %d", c);
  ungetc(c, file);
  printf(" %d %d\n", fgetc(file) == c, feof(file));
  rewind(file);
  printf("%d %s\n", fscanf(file, "%49s", word), word);
  FILE *other = fopen("Cargo.toml", "rb");
  printf("%d\n", fgetc(other));
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  printf("%ld %d %d\n", size, fgetc(file), feof(file) != 0);
  printf("%d\n", fseek(file, -3, SEEK_SET));
  fseek(file, 1, SEEK_SET);
  printf("%zu %c\n", fread(word, 2, 3, file), word[5]);
  printf("%d %d\n", fclose(file), fclose(other));
  errno = 0;
  printf("%d %d\n", fopen("no such file", "r") == NULL, errno);
  int descriptor = open("Cargo.toml", O_RDONLY);
  long got = read(descriptor, word, 4);
  word[got] = 0;
  printf("%ld %s %ld\n", got, word, (long)lseek(descriptor, 2, SEEK_CUR));
  printf("%d %d %d\n", close(descriptor), close(descriptor), errno);
  printf("%d %d\n", access("Cargo.toml", R_OK), access("nowhere/at/all", F_OK));
  return 0;
}
