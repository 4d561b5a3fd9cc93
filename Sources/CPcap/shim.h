#include <linux/capability.h>
#include <pcap/pcap.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Swift calls no functions with variable arguments, so the two that give privileges up are here.

/// Makes sure that no program this process starts gets more rights than it has; 0 or -1 with errno.
static inline int tapedeck_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

/// Gives up all capabilities of this thread and of those it will start; 0 or -1 with errno.
static inline int tapedeck_drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    return (int)syscall(SYS_capset, &header, none);
}
