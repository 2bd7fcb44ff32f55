import t from 'tap'
import { readSources } from '../../src/install/sources.ts'
import { uninstallPlan, uninstallText } from '../../src/install/uninstall.ts'

const objects = (await readSources()).map(({ object }) => object)
const commands = uninstallPlan(objects).flatMap((step) => step.commands)

t.test('webhook configurations go first, those that fail closed before the others', async (t) => {
  t.strictSame(commands.slice(0, 2), [
    'kubectl delete validatingwebhookconfiguration rightslice-isolation rightslice-advice --ignore-not-found',
    'kubectl delete mutatingwebhookconfiguration zz-rightslice --ignore-not-found'
  ])
})

t.test(
  'what checks goes before what it knows its rules from, and definitions go last of all objects',
  async (t) => {
    const kinds = commands.map((command) => command.split(' ')[2])

    t.strictSame(kinds, [
      'validatingwebhookconfiguration',
      'mutatingwebhookconfiguration',
      'validatingadmissionpolicybinding',
      'validatingadmissionpolicy',
      'namespace',
      'clusterrolebinding',
      'clusterrole',
      'customresourcedefinition',
      'namespaces'
    ])
  }
)

t.test(
  'every object of every kind of installation is named, or lies in the namespace that goes',
  async (t) => {
    const text = commands.join('\n')

    for (const { kind, metadata } of objects) {
      const { name, namespace } = Object(metadata)
      if (namespace === undefined)
        t.match(text, new RegExp(`delete ${String(kind).toLowerCase()} .*\\b${name}\\b`))
      else t.equal(namespace, 'rightslice-system')
    }
  }
)

t.test('nothing of a node or a pod is touched, and the text is a script with its reasons', async (t) => {
  const lines = uninstallText(uninstallPlan(objects)).split('\n')

  t.strictSame(
    lines.filter((line) => line !== '' && !line.startsWith('# ')),
    commands
  )
  t.notMatch(commands.join('\n'), /kubectl \w+ (nodes?|pods?|deployments?) /)
  t.equal(lines.filter((line) => /^# \d\. /.test(line)).length, 6)
})
