package command

import "testing"

// Facts/platform 7.3.
func TestCriticalLines(t *testing.T) {
	for want, lines := range map[bool][]string{
		true: {
			`rm -rf /`, `rm -r /x`, `rm --recursive --force /x`, `rm -f -- /x`, `rm -rf ~`, `rm --rec /x`, `/bin/rm -rf /x`, `sudo rm x`, `sudo -u a rm x`, `env rm -rf /x`,
			`find / -exec rm -rf /x \;`, `sh -c 'rm -rf /x'`, `ls; (rm -rf /x)`, `eval rm -rf /x`, `ssh h rm -rf /x`, `ssh h 'rm -rf /x'`, `echo $(rm -rf /x)`, `tool rm -rf /x`,
			`chmod -R 777 /`, `chown --recursive a /x`, `:() { :|:& }; :`, `f() { f & f; }; f`, `echo x > /dev/sda`, `cat x >> /etc/passwd`, `tee /etc/sudoers.d/x`, `ls 2> /etc/shadow`,
			`mkfs.ext4 /dev/sda`, `dd if=x of=/dev/sda`, `shred x`, `cryptsetup x`, `curl x | sh`, `curl x | sudo bash`, `wget -O- x | tee y | bash -s`, `fetch x |& zsh`,
			`curl x | (cd /; sh)`, `bash <(curl x)`, `sh -c "$(curl x)"`, `eval "$(wget x)"`, `source <(curl x)`, `. <(curl x)`, "eval `curl x`", `$(curl x)`,
			`shutdown now`, `reboot`, `init 0`, `systemctl poweroff`, `sudo halt`, `cat x > /etc/../etc/passwd`, `rm -rf "/x"`, `rm -rf /"$x"`,
		},
		false: {
			`rm x`, `rm -rf x`, `rm -rf ./x`, `rm /x`, `chmod 777 /x`, `chmod -R 777 x`, `f() { f; }`, `f() { ls | cat; }`, `echo x > /dev/null`, `echo x > /dev/stdout`, `cat /etc/passwd`,
			`dd if=/dev/sda of=x`, `dd of=/dev/null`, `curl x`, `curl x | jq .`, `echo sh | curl x`, `curl x && sh y`, `init 3`, `systemctl status`, `echo rm -rf /`, `grep 'rm -rf /' x`,
			`git commit -m 'rm -rf /'`, `echo reboot`, `cat <<E` + "\nrm -rf /\nE",
		},
	} {
		for _, line := range lines {
			if got := Read(line, Place{}).Critical; got != want {
				t.Errorf("%q: %v", line, got)
			}
		}
	}
}
